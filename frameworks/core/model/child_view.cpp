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

bool operator==(const pod_trouble& a, const pod_trouble& b) {
  auto same_end = [](const auto& x, const auto& y) {
    return std::tie(x.name, x.exit_code, x.reason, x.message)
           == std::tie(y.name, y.exit_code, y.reason, y.message);
  };
  auto same_condition = [](const auto& x, const auto& y) {
    return std::tie(x.type, x.status, x.reason, x.message)
           == std::tie(y.type, y.status, y.reason, y.message);
  };
  return a.node == b.node && a.reason == b.reason && a.message == b.message
         && a.node_silent_since == b.node_silent_since
         && std::equal(a.ended.begin(), a.ended.end(), b.ended.begin(),
                       b.ended.end(), same_end)
         && std::equal(a.conditions.begin(), a.conditions.end(),
                       b.conditions.begin(), b.conditions.end(),
                       same_condition);
}

std::string to_string(const slot& at) {
  return at.type + "-" + std::to_string(at.index);
}

} // namespace troupe::core
