#include "frameworks/core/plan.hpp"

#include "frameworks/core/adoption.hpp"
#include "frameworks/core/auxiliary_objects.hpp"
#include "frameworks/core/cleanup.hpp"
#include "frameworks/core/completion.hpp"
#include "frameworks/core/counting.hpp"
#include "frameworks/core/deadlines.hpp"
#include "frameworks/core/gang.hpp"
#include "frameworks/core/reconcile_context.hpp"
#include "frameworks/core/restarts.hpp"
#include "frameworks/core/scaling.hpp"
#include "frameworks/core/suspension.hpp"
#include "frameworks/core/verdict.hpp"

namespace troupe::core {

namespace {

constexpr const char* our_managed_by_value = "kubeflow.org/training-operator";

void set_created_condition(reconcile_context& p) {
  p.set_condition(condition_type::created, true, "Created",
                  fill_template("{kind} {name} is created.", p.j));
}

/// A job that finished under another operator may have no completionTime.
void set_missing_completion_time(reconcile_context& p) {
  auto& s = p.status();
  if (s.completed)
    return;
  const auto* end =
      s.find(s.is_true(condition_type::failed) ? condition_type::failed
                                               : condition_type::succeeded);
  s.completed = end->transitioned;
}

void handle_finished_job(reconcile_context& p, const observed_children& seen) {
  set_missing_completion_time(p);
  finalize_replica_counts(p.status(), p.j.policy.clean);
  apply_clean_pod_policy(p, seen);
  remove_pod_groups(p, seen);
  auto end = ttl_expires_at(p.j, p.status());
  if (!end)
    return;
  if (p.now < *end)
    p.requeue_at(*end);
  else
    p.out.decisions.push_back(
        delete_job{p.j.uid, "ttlSecondsAfterFinished has passed"});
}

void fail_validation(reconcile_context& p) {
  p.fail(p.j.kind->type.kind + " failed validation because " + p.j.problem,
         "FailedValidation", true);
}

/// The message if a limit (backoffLimit, activeDeadlineSeconds) is exceeded,
/// else "".
std::string exceeded_limit_message(const reconcile_context& p,
                                   const observed_children& seen) {
  if (exceeds_backoff_limit(p, seen))
    return "it has reached the specified backoff limit";
  auto end = active_deadline_at(p.j, p.status());
  return end && p.now >= *end ? "it was active longer than specified deadline"
                              : "";
}

/// Fails the job if a limit is exceeded; returns whether it did. The replica
/// counts are not updated, as in the original, unless clean-up deletes the
/// job's pods.
bool enforce_limits(reconcile_context& p, const observed_children& seen) {
  auto why = exceeded_limit_message(p, seen);
  if (why.empty())
    return false;
  if (p.j.policy.clean != clean_pod_policy::none)
    count_replicas_and_add_event(p);
  return p.fail("Job " + p.j.name + " has failed because " + why);
}

void reconcile_running_job(reconcile_context& p,
                           const observed_children& seen) {
  record_restarts(p, seen);
  release_mislabelled(p);
  remove_surplus_children(p);
  replace_failed_pods(p);
  if (p.pod_creation_blocked_by.empty())
    create_missing_children(p);
  if (auto end = active_deadline_at(p.j, p.status()))
    p.requeue_at(*end);
}

void decide(reconcile_context& p, const observed_children& seen) {
  if (p.saved.finished())
    return handle_finished_job(p, seen);
  if (p.status().finished())
    return; // Wait until the finished status is saved.
  set_created_condition(p);
  if (!p.j.problem.empty())
    return fail_validation(p);
  if (p.j.policy.suspend)
    return suspend_job(p, seen);
  resume_job(p);
  if (enforce_limits(p, seen))
    return;
  p.pod_creation_blocked_by = reconcile_auxiliary_objects(p, seen);
  if (!p.status().started && waits_for_gang(p.j, seen, p.cluster)) {
    // startTime is not set, so the deadline does not run while the gang waits.
    if (!p.status().reconciled)
      p.status().reconciled = truncate_to_seconds(p.now);
    return;
  }
  if (!p.status().started)
    p.status().started = truncate_to_seconds(p.now);
  count_replicas_and_add_event(p);
  update_job_conditions(p);
  if (!p.status().finished())
    reconcile_running_job(p, seen);
}

} // namespace

bool managed_elsewhere(const job& j) {
  return j.policy.managed_by && *j.policy.managed_by != our_managed_by_value;
}

plan_result plan(const job& j, const observed_children& seen,
                 const expectations& open, const job_status& status,
                 const job_status& saved, time_point now,
                 const cluster_options& cluster) {
  plan_result untouched;
  untouched.status = status;
  if (j.deleting || managed_elsewhere(j)) {
    untouched.verdict = j.deleting ? "is being deleted"
                                   : "is managed by " + *j.policy.managed_by;
    return untouched;
  }
  // If the saved status is finished, it wins over the status decided here.
  if (saved.finished() && !status.finished())
    untouched.status = saved;
  reconcile_context p{
      j, open, saved, now, cluster, classify(j, seen), std::move(untouched)};
  if (j.kind->decide)
    j.kind->decide(p, seen);
  else
    decide(p, seen);
  if (auto next = open.next_retry_at(now))
    p.requeue_at(*next);
  if (p.out.verdict.empty())
    p.out.verdict = verdict(p, seen);
  return std::move(p.out);
}

} // namespace troupe::core
