#include "frameworks/core/pass/desired_replicas.hpp"

#include "frameworks/core/observed/observed.hpp"

namespace troupe::core {

namespace {

/// The type of a pod that was created on request, if such pods are counted.
const replica_rule* rule_if_counted_requested_pod(const framework& kind,
                                                  const child_view& pod) {
  const auto* rule = kind.find_rule_by_label(pod.at.type);
  bool on_request = kind.names.random_names && rule && rule->indexed;
  return on_request && pod.owned && pod.labels_match_job && !pod.terminating
             ? rule
             : nullptr;
}

} // namespace

std::map<std::string, std::int32_t>
desired_replicas(const job& j, const observed_children& seen) {
  std::map<std::string, std::int32_t> result;
  for (const auto& r : j.replicas)
    result[r.type] = r.replicas;
  if (j.kind->names.random_names)
    for (const auto& pod : seen.pods())
      if (const auto* rule = rule_if_counted_requested_pod(*j.kind, pod))
        ++result[rule->type];
  return result;
}

std::int32_t total_desired_replicas(const job& j,
                                    const observed_children& seen) {
  if (!j.kind->names.random_names)
    return j.total_replicas();
  std::int32_t total = 0;
  for (const auto& [type, count] : desired_replicas(j, seen))
    total += count;
  return total;
}

} // namespace troupe::core
