#include "frameworks/core/counting.hpp"

#include "frameworks/core/names.hpp"

namespace troupe::core {

replica_status count(const replica_view& type) {
  replica_status result;
  for (const auto& place : type.places) {
    if (!place.pod)
      continue;
    switch (place.pod->phase) {
    case k8s::pod_phase::running:
      result.active += place.pod->terminating ? 0 : 1;
      break;
    case k8s::pod_phase::succeeded:
      ++result.succeeded;
      break;
    case k8s::pod_phase::failed:
      ++result.failed;
      break;
    case k8s::pod_phase::pending:
    case k8s::pod_phase::unknown:
      break;
    }
  }
  return result;
}

void renew_counts(pass& p) {
  std::map<std::string, replica_status> fresh;
  for (const auto& type : p.around.types) {
    auto counts = count(type);
    if (p.j.kind->selector_in_status)
      counts.selector = type_selector(p.j, type.spec->label);
    fresh.emplace(type.spec->type, std::move(counts));
  }
  p.status().replicas = std::move(fresh);
}

} // namespace troupe::core
