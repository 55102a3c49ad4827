#pragma once

#include "k8s/node/base/hosts_file.hpp"
#include "k8s/node/base/pod_subnet.hpp"
#include "k8s/node/namespaces/dns_message.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// The names of the cluster's DNS: kubernetes.default, the API server; services
/// at the addresses of all pods that they select, NAME.NS.svc.DOMAIN; each of
/// these pods below them, POD.NAME.NS.svc.DOMAIN; services of the host, unless
/// a service with a selector has the name; pods by their addresses,
/// 10-244-1-0.NS.pod.DOMAIN; and the names of pods by their addresses.
class dns_zone {
public:
  explicit dns_zone(std::string domain = "cluster.local")
      : dns_zone({}, {}, std::move(domain)) {}
  dns_zone(const std::vector<named_pod>& pods,
           const std::vector<named_service>& services, std::string domain,
           const pod_subnet& subnet = {},
           const std::vector<std::string>& host_services = {});

  /// Nullopt if the name is not the cluster's. A service without pods is a
  /// server failure, so that resolvers try again.
  std::optional<dns_answer> find_answer(const dns_query& q) const;

private:
  std::optional<dns_answer> find_forward_answer(const dns_query& q) const;
  std::optional<dns_answer> find_reverse_answer(const dns_query& q) const;

  std::string domain_;
  std::string pod_addresses_end_; ///< ".244.10.in-addr.arpa".
  std::map<std::string, std::vector<std::string>> addresses_;
  std::map<std::string, std::string> names_; ///< By "1.0.244.10.in-addr.arpa".
};

} // namespace troupe::k8s::node
