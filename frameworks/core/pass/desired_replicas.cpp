#include "frameworks/core/pass/desired_replicas.hpp"

#include "frameworks/core/observed/observed.hpp"

#include <algorithm>

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

bool run_or_are_done(const job_status& s, const std::string& type,
                     std::int32_t wanted) {
  auto i = s.replicas.find(type);
  auto there = i == s.replicas.end()
                   ? std::int64_t{0}
                   : std::int64_t{i->second.active} + i->second.succeeded;
  return there >= wanted;
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

bool do_all_run(const job& j, const observed_children& seen,
                const job_status& s) {
  // After each pass of each job, so no map is made where the spec says it.
  if (!j.kind->names.random_names)
    return std::all_of(j.replicas.begin(), j.replicas.end(),
                       [&](const auto& type) {
                         return run_or_are_done(s, type.type, type.replicas);
                       });
  const auto all = desired_replicas(j, seen);
  return std::all_of(all.begin(), all.end(), [&](const auto& one) {
    return run_or_are_done(s, one.first, one.second);
  });
}

} // namespace troupe::core
