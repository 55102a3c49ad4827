#include "frameworks/core/waiting/waiting_launcher.hpp"

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/waiting/reason_parts.hpp"

#include <string_view>

namespace troupe::core {

namespace {

using optional_reason = std::optional<waiting_reason>;

bool has_launcher_job(const waiting_inputs& in) {
  return in.wanted && *in.wanted->kind->names.type_made_by_job != '\0';
}

bool is_launcher_done(const waiting_inputs& in) {
  const auto* type =
      in.wanted->find_replica_spec(in.wanted->kind->names.type_made_by_job);
  return type && in.status.recovery->completed_of(type->type).contains(0);
}

/// Whose move it is with pods of which the first is not ready.
next_move who_makes_ready(const child_view& pod) {
  if (pod.phase == k8s::pod_phase::running)
    return {mover::program,
            "the processes in its pods, and their readiness probes"};
  return pod.scheduled ? next_move{mover::cluster, "the kubelet"}
                       : next_move{mover::cluster, "the scheduler"};
}

} // namespace

optional_reason waiting_for_workers_before_launcher(const waiting_inputs& in) {
  if (!has_launcher_job(in))
    return {};
  auto waits = in.wanted->kind->hooks.launcher_waits_for_ready_pods;
  if (!waits || !waits(*in.wanted))
    return {};
  const auto* launcher = own_launcher_job(in.seen);
  if (launcher ? !launcher->batch_job->suspended : is_launcher_done(in))
    return {};
  auto unready = pods_where(in, [](const child_view& p) {
    return p.owned && !p.ready && !p.terminating && !p.is_finished();
  });
  if (unready.empty())
    return {};
  return reason_of(first_and_others(unready) + " to become ready",
                   who_makes_ready(*unready.front()),
                   "before its launcher starts");
}

optional_reason waiting_for_launcher_job(const waiting_inputs& in) {
  if (!has_launcher_job(in))
    return {};
  const auto* launcher = own_launcher_job(in.seen);
  if (!launcher && is_launcher_done(in))
    return {};
  if (!launcher)
    return reason_of("the creation of the launcher's Job "
                         + launcher_job_name(*in.wanted->kind, in.wanted->name),
                     the_operator);
  if (launcher->batch_job->is_finished() || !launcher->batch_job->suspended)
    return {};
  return reason_of("the launcher's Job " + launcher->name + " to be resumed",
                   the_operator);
}

optional_reason waiting_for_launcher_pod(const waiting_inputs& in) {
  const auto* launcher =
      has_launcher_job(in) ? own_launcher_job(in.seen) : nullptr;
  if (!launcher || launcher->batch_job->is_finished())
    return {};
  auto there = pods_where(in, [&](const child_view& p) {
    return is_launcher_pod(p, in.seen) && (p.terminating || !p.is_finished());
  });
  if (!there.empty())
    return {};
  auto r = reason_of("a pod of the launcher's Job " + launcher->name,
                     {mover::controller, "the Job controller"});
  if (auto failed = launcher->batch_job->failed_pods; failed > 0)
    r.details = pluralize(failed, "pod")
                + " of it failed before, and the next "
                  "one comes after a back-off";
  r.since = launcher->batch_job->started;
  return r;
}

} // namespace troupe::core
