#include "frameworks/core/observed/gone_pods.hpp"

#include "frameworks/core/model/job.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

bool is_lost(child_kind kind, const child_view& gone,
             const child_view* launcher) {
  if (gone.delete_requested || gone.delete_in_flight)
    return false;
  if (kind == child_kind::launcher_job)
    return gone.owned && !gone.batch_job->is_finished();
  if (kind != child_kind::pod || gone.phase == k8s::pod_phase::succeeded)
    return false;
  if (gone.owned)
    return gone.labels_match_job;
  return launcher && gone.made_by_job == launcher->uid
         && !launcher->delete_requested && !launcher->delete_in_flight;
}

} // namespace

void gone_pods::record(child_kind kind, const child_view& gone,
                       const launcher_jobs& launchers,
                       const child_view* launcher) {
  bool counts = kind == child_kind::pod && gone.owned && !gone.delete_requested
                && gone.phase != k8s::pod_phase::succeeded && gone.restarts > 0;
  if (counts)
    with_unsaved_restarts_.push_back(gone);
  bool is_replaced =
      gone.owned || (keeps_lost_ && launchers.has_ever_had(gone.made_by_job));
  if (kind == child_kind::pod && is_replaced)
    count_or_reset_early_failures(gone);
  if (keeps_lost_ && is_lost(kind, gone, launcher)) {
    lost_.push_back(gone);
    if (kind == child_kind::launcher_job)
      lost_.back().at = launchers.pods_slot();
  }
}

void gone_pods::forget_settled_lost(const job& of, const recovery_status& saved,
                                    const std::set<slot>& filled) {
  auto is_settled = [&](const child_view& pod) {
    const auto* type = of.find_replica_spec(pod.at.type);
    return !type || pod.at.index >= type->replicas
           || pod.attempt < saved.attempt_of(type->type)
           || filled.count(pod.at) > 0;
  };
  lost_.erase(std::remove_if(lost_.begin(), lost_.end(), is_settled),
              lost_.end());
}

void gone_pods::forget_unsaved_restarts(const std::set<uid_key>& saved) {
  auto& gone = with_unsaved_restarts_;
  gone.erase(
      std::remove_if(gone.begin(), gone.end(),
                     [&](const auto& v) { return saved.count(v.uid) > 0; }),
      gone.end());
}

void gone_pods::count_or_reset_early_failures(const child_view& gone) {
  if (gone.failed_early)
    early_failures_[gone.at] = gone.early_failures + 1;
  else
    early_failures_.erase(gone.at);
}

} // namespace troupe::core
