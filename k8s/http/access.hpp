#pragma once

#include "k8s/http/server.hpp"

#include <boost/asio/ip/address.hpp>

#include <optional>

namespace troupe::k8s::http {

/// The two ends of a connection.
struct connection_ends {
  boost::asio::ip::address bound; ///< The address of the listening socket.
  std::uint16_t port = 0;
  boost::asio::ip::address here; ///< The server's end.
  boost::asio::ip::address peer; ///< The client's end.
  std::string host_name;         ///< This machine's.
  bool secure = false;           ///< Under TLS.
};

/// Turns an IPv4 address that is mapped into IPv6 into IPv4; any other address
/// stays as it is.
boost::asio::ip::address unmap_ipv4(const boost::asio::ip::address& a);

/// Refuses a request that breaks one of the rules below, in their order:
/// returns a Kubernetes Status with the fault and its remedy, or nullopt if the
/// request is let in. Only the head is looked at, so a stranger's body is never
/// read.
///
/// * TLS (400), if the server has a certificate: clients on other machines must
///   use it, since the token must not be readable on the way. With tls_only all
///   clients must.
/// * Host (421). A browser that somebody's DNS has led here (rebinding) sends
///   that name, so the server accepts only names that nobody else can have
///   given it. On the loopback these are 127.0.0.0/8, [::1] and localhost. On
///   other addresses these are localhost, this machine's name, any IP address
///   (of a pod or a load balancer) and, from other machines, any name (that of
///   a service): an attacker gains only from a browser on this machine, which
///   reaches addresses that he does not. The policy may list further names.
/// * Origin (403). Browsers add it to what a page sends to another site;
///   programs do not. Any origin except this server's is refused.
/// * The token (401): the server's, compared in constant time, or one for which
///   the policy finds a user. Paths that the policy makes public need none.
///   `head` gets the user.
/// * The type of the body (415). A body without a type is refused, too: a page
///   can send one (as a Blob) without the browser asking us before. The
///   Kubernetes API reads such bodies as JSON, but its clients name the type.
std::optional<response> refuse_access_or_set_user(const access_policy& access,
                                                  const connection_ends& ends,
                                                  request& head, bool has_body);

/// Compares secrets: the time does not depend on where they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// A token that nobody can guess: 256 random bits of the kernel, in hex.
result<std::string> make_bearer_token();

} // namespace troupe::k8s::http
