#pragma once

#include <string>
#include <utility>

namespace troupe::k8s {

/// "10.0.0.1:6443" of "https://10.0.0.1:6443/path".
std::string host_and_port_of_url(const std::string& server);

/// {"10.0.0.1", "6443"} of "10.0.0.1:6443"; a host in brackets comes without
/// them. The port is "" if there is none.
std::pair<std::string, std::string>
split_host_and_port(const std::string& address);

/// Whether the host, without brackets, is "localhost" or an IP address of the
/// loopback: 127.0.0.0/8, also as an IPv6 address, or ::1. No other name is,
/// whatever it begins with: only a resolver knows where it leads.
bool is_localhost_or_loopback(const std::string& host);

} // namespace troupe::k8s
