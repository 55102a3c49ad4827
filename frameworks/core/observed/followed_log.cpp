#include "frameworks/core/observed/followed_log.hpp"

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/spec/pod_template.hpp"

#include <tuple>

namespace troupe::core {

namespace {

std::optional<slot> default_replica(const job& j) {
  std::optional<slot> first;
  for (const auto& type : j.replicas) {
    if (type.replicas <= 0)
      continue;
    slot at{type.label, 0};
    if (has_master_role(j, at))
      return at;
    if (!first)
      first = std::move(at);
  }
  return first;
}

bool is_of_replica(const child_view& pod, const slot& at, const job& j,
                   const observed_children& seen) {
  if (pod.at.type != at.type)
    return false;
  if (at.type == j.kind->names.type_made_by_job)
    return is_launcher_pod(pod, seen);
  return pod.owned
         && (pod.at.index == at.index
             || !j.kind->is_indexed_or_unknown_type(at.type));
}

bool has_log(const child_view& pod) {
  return pod.phase == k8s::pod_phase::running || pod.is_finished();
}

/// What is on its way out may have more to say, until another takes its place.
auto rank(const child_view& pod) {
  return std::make_tuple(pod.attempt, !pod.is_leaving(), pod.created,
                         pod.version);
}

} // namespace

std::optional<slot> replica_of_log(const job& j) {
  if (!j.policy.progress.log)
    return std::nullopt;
  const auto& policy = *j.policy.progress.log;
  if (policy.type.empty())
    return default_replica(j);
  const auto* type = j.find_replica_spec(policy.type);
  return type && policy.index < type->replicas
             ? std::optional{slot{policy.type, policy.index}}
             : std::nullopt;
}

std::optional<followed_log> log_to_follow(const job& j,
                                          const observed_children& seen,
                                          const job_status& saved) {
  auto at = replica_of_log(j);
  if (!at || j.deleting || !j.left_to_other.empty() || saved.is_finished())
    return std::nullopt;
  const child_view* latest = nullptr;
  for (const auto& pod : seen.pods())
    if (is_of_replica(pod, *at, j, seen)
        && (!latest || rank(*latest) < rank(pod)))
      latest = &pod;
  if (!latest || !has_log(*latest))
    return std::nullopt;
  return followed_log{latest->name, latest->uid.text(),
                      j.find_replica_spec(at->type)->main_container,
                      latest->is_finished()};
}

} // namespace troupe::core
