#include "frameworks/core/model/child_view.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::core {

namespace {

bool same_owner(const k8s::owner_reference& a, const k8s::owner_reference& b) {
  return std::tie(a.api_version, a.kind, a.name, a.uid, a.controller)
         == std::tie(b.api_version, b.kind, b.name, b.uid, b.controller);
}

bool same_port(const container_port& a, const container_port& b) {
  return a.name == b.name && a.port == b.port && a.protocol == b.protocol;
}

} // namespace

bool operator==(const pod_details& a, const pod_details& b) {
  return a.labels == b.labels && a.ips == b.ips
         && a.on_host_network == b.on_host_network
         && a.crash_looping == b.crash_looping
         && std::equal(a.owners.begin(), a.owners.end(), b.owners.begin(),
                       b.owners.end(), same_owner)
         && std::equal(a.ports.begin(), a.ports.end(), b.ports.begin(),
                       b.ports.end(), same_port);
}

std::string to_string(const slot& at) {
  return at.type + "-" + std::to_string(at.index);
}

} // namespace troupe::core
