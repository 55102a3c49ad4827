#pragma once

#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::node {

/// The domains of the pod's dnsConfig, in which its programs look for names
/// after the cluster's; without those that are no domains.
std::vector<std::string> dns_searches(const json& pod);

/// HOSTNAME.SUBDOMAIN.NAMESPACE.svc.DOMAIN, or "" if the pod has no subdomain.
std::string full_host_name(const json& pod, const std::string& hostname,
                           const std::string& cluster_domain);

/// The text of /etc/resolv.conf: the cluster's DNS, whatever dnsPolicy says,
/// with what dnsConfig adds but name servers.
std::string make_resolv_conf(const json& pod, const std::string& cluster_domain,
                             const std::string& name_server);

} // namespace troupe::k8s::node
