#include "frameworks/core/pass/reconcile_context.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/completed_replicas.hpp"
#include "frameworks/core/pass/counting.hpp"
#include "frameworks/core/pass/restart_scope.hpp"

#include <algorithm>

namespace troupe::core {

const std::string& reconcile_context::validation_or_limit_error(
    const observed_children& seen) const {
  static const std::string none;
  // An orphan is no pod of it yet: anybody can make one with the job's labels.
  const auto& pods = seen.pods();
  bool has_begun = !saved.conditions.empty() || !saved.phase.empty()
                   || std::any_of(pods.begin(), pods.end(),
                                  [](const auto& p) { return p.owned; });
  if (!job.validation_error.empty() || !has_begun)
    return job.validation_error.empty() ? job.limit_error
                                        : job.validation_error;
  return none;
}

void reconcile_context::plan_creation_unless_blocked(child_kind kind,
                                                     const slot_state& empty,
                                                     std::string why) {
  if (!expectations.is_creation_blocked({kind, empty.at}, now))
    result.decisions.push_back(
        kind == child_kind::pod
            ? create_child{kind,
                           empty.at,
                           std::move(why),
                           empty.early_failures,
                           {},
                           {},
                           true,
                           attempt_for_new_pod(job, status(), empty.at.type),
                           scheduling_group}
            : create_child{kind, empty.at, std::move(why)});
}

void reconcile_context::plan_creation_unless_blocked(create_child wanted) {
  if (wanted.kind == child_kind::pod)
    wanted.scheduling_group = scheduling_group;
  if (!expectations.is_creation_blocked(creation_key{wanted}, now))
    result.decisions.push_back(std::move(wanted));
}

void reconcile_context::plan_auxiliary_creation_unless_blocked(
    const auxiliary_object& wanted, std::string why) {
  if (!expectations.is_creation_blocked(creation_key{wanted}, now))
    result.decisions.push_back(core::create_auxiliary{wanted, std::move(why)});
}

void reconcile_context::plan_auxiliary_update_unless_blocked(
    const child_view& v, const auxiliary_object& wanted, std::string version,
    std::string body, std::string why) {
  // Kubernetes' PodGroup counts as long as pods are in it.
  bool counts = !v.terminating || wanted.kind == child_kind::native_group;
  if (v.owned && counts
      && !expectations.is_child_operation_blocked(wanted.kind, v.uid.text(),
                                                  now))
    result.decisions.push_back(core::update_auxiliary{
        wanted.kind, v.name, v.uid.text(), std::move(why), wanted,
        std::move(version), std::move(body)});
}

void reconcile_context::plan_failure_annotation_unless_blocked(
    const child_view& pod, std::string why) {
  if (pod.owned && !pod.terminating
      && !expectations.is_child_operation_blocked(child_kind::pod,
                                                  pod.uid.text(), now))
    result.decisions.push_back(annotate_pod{
        pod.at, pod.name, pod.uid.text(), std::move(why), pod.early_failures});
}

void reconcile_context::plan_auxiliary_read_unless_blocked(child_kind kind,
                                                           const child_view& v,
                                                           std::string why) {
  // The response to a creation in flight contains the body, too.
  if (v.owned && !v.terminating
      && !expectations.is_child_operation_blocked(kind, v.uid.text(), now)
      && !expectations.is_creation_blocked(creation_key{kind, v.name}, now))
    result.decisions.push_back(
        read_auxiliary{kind, v.name, v.uid.text(), std::move(why), v.version});
}

void reconcile_context::plan_patch_unless_blocked(const child_view& v,
                                                  patch_auxiliary patch) {
  if (v.owned && !v.terminating
      && !expectations.is_child_operation_blocked(patch.kind, patch.uid, now))
    result.decisions.push_back(std::move(patch));
}

void reconcile_context::plan_lookup_unless_blocked(child_kind kind,
                                                   std::string name,
                                                   std::string why) {
  if (!expectations.is_child_operation_blocked(kind, "", now))
    result.decisions.push_back(
        read_auxiliary{kind, std::move(name), "", std::move(why), 0});
}

void reconcile_context::plan_deletion_unless_blocked(child_kind kind,
                                                     const child_view& v,
                                                     std::string why) {
  if (v.owned && !v.terminating
      && !expectations.is_child_operation_blocked(kind, v.uid.text(), now))
    result.decisions.push_back(
        delete_child{kind, v.at, v.name, v.uid.text(), std::move(why)});
}

void reconcile_context::plan_adoption_unless_blocked(child_kind kind,
                                                     const child_view& v,
                                                     std::string why) {
  if (!v.owned && !v.terminating
      && !expectations.is_child_operation_blocked(kind, v.uid.text(), now))
    result.decisions.push_back(
        adopt_child{kind, v.at, v.name, v.uid.text(), std::move(why)});
}

void reconcile_context::plan_release_unless_blocked(child_kind kind,
                                                    const child_view& v,
                                                    std::string why) {
  if (v.owned && !v.terminating
      && !expectations.is_child_operation_blocked(kind, v.uid.text(), now))
    result.decisions.push_back(
        release_child{kind, v.at, v.name, v.uid.text(), std::move(why)});
}

bool reconcile_context::set_condition(std::string_view type, bool value,
                                      const char* suffix, std::string message) {
  return status().set_condition(type, value,
                                kind_prefixed_reason(*job.kind, suffix),
                                std::move(message), now);
}

void reconcile_context::add_event(bool warning, const char* suffix,
                                  std::string message) {
  result.events.push_back(
      {warning, kind_prefixed_reason(*job.kind, suffix), std::move(message)});
}

bool reconcile_context::succeed_job(std::string message) {
  if (!set_condition(condition_type::succeeded, true, "Succeeded", message))
    return false;
  if (!status().completion_time)
    status().completion_time = truncate_to_seconds(now);
  finalize_replica_counts(status(), job.policy.clean);
  forget_completed_replicas(status());
  add_event(false, "Succeeded", std::move(message));
  return true;
}

bool reconcile_context::fail_job(std::string message, const char* suffix,
                                 bool warning, const char* event_suffix) {
  if (!set_condition(condition_type::failed, true, suffix, message))
    return false;
  if (!status().completion_time)
    status().completion_time = truncate_to_seconds(now);
  finalize_replica_counts(status(), job.policy.clean);
  forget_completed_replicas(status());
  add_event(warning, event_suffix ? event_suffix : suffix, std::move(message));
  return true;
}

void reconcile_context::requeue_no_later_than(time_point t) {
  if (!result.requeue_at || t < *result.requeue_at)
    result.requeue_at = t;
}

} // namespace troupe::core
