#include "frameworks/core/waiting/waiting_reason.hpp"

#include "frameworks/core/gangs/gang.hpp"
#include "frameworks/core/pass/deadlines.hpp"
#include "frameworks/core/pass/desired_replicas.hpp"
#include "frameworks/core/pass/plan.hpp"
#include "frameworks/core/pass/reported_progress.hpp"
#include "frameworks/core/recovery/restart_cause.hpp"
#include "frameworks/core/waiting/reason_parts.hpp"
#include "frameworks/core/waiting/waiting_calls.hpp"
#include "frameworks/core/waiting/waiting_launcher.hpp"
#include "frameworks/core/waiting/waiting_leaving.hpp"
#include "frameworks/core/waiting/waiting_native_gang.hpp"
#include "frameworks/core/waiting/waiting_pods.hpp"
#include "frameworks/core/waiting/waiting_queue.hpp"
#include "frameworks/core/waiting/waiting_restart.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

using optional_reason = std::optional<waiting_reason>;

std::optional<time_point> true_condition_since(const job_status& status,
                                               const char* type) {
  const auto* c = status.find_condition(type);
  return c && c->status ? std::optional{c->last_transition_time} : std::nullopt;
}

// -- the job as a whole -------------------------------------------------------

optional_reason waiting_for_deletion(const waiting_inputs& in) {
  if (!in.wanted || !in.wanted->deleting)
    return {};
  return reason_of(
      "its deletion",
      {mover::controller, "the controllers that own its finalizers"},
      "which has been requested");
}

optional_reason waiting_for_other_operator(const waiting_inputs& in) {
  if (!in.wanted || in.wanted->left_to_other.empty())
    return {};
  auto r = reason_of("another operator to end",
                     {mover::person, "a person, who scales the Deployment of "
                                     "that one to 0 to have this one run "
                                     "the job"});
  r.details = in.wanted->left_to_other;
  r.then = "this operator does not run it";
  return r;
}

optional_reason waiting_for_other_controller(const waiting_inputs& in) {
  if (!in.wanted || !is_managed_externally(*in.wanted))
    return {};
  auto r = reason_of("the controller in runPolicy.managedBy",
                     {mover::controller, ""});
  r.who = *in.wanted->policy.managed_by;
  r.then = "this operator does not run it";
  return r;
}

optional_reason waiting_for_recovery(const waiting_inputs& in) {
  if (!in.supervisor.recovering)
    return {};
  return reason_of("its objects to be read again", the_operator);
}

optional_reason waiting_for_valid_spec(const waiting_inputs& in) {
  if (!in.wanted || in.wanted->validation_error.empty())
    return {};
  auto r = reason_of("a valid spec",
                     {mover::person, "a person, who corrects the job"});
  r.details = in.wanted->validation_error;
  return r;
}

optional_reason waiting_for_readable_spec(const waiting_inputs& in) {
  if (!in.supervisor.undecodable)
    return {};
  return reason_of("a spec that can be read",
                   {mover::person, "a person, who corrects the job"});
}

optional_reason waiting_for_resume(const waiting_inputs& in) {
  if (!in.wanted || !in.wanted->policy.suspend)
    return {};
  const auto& job = *in.wanted;
  constexpr const char* what = "runPolicy.suspend to become false";
  auto r =
      job.queue.empty()
          ? reason_of(what, {mover::person, "a person, or the program "
                                            "that suspended the job"})
          : reason_of(what, {mover::controller, "Kueue"},
                      "when queue " + job.queue + " of Kueue admits the job");
  if (job.queue.empty() && !job.spec_manager.empty())
    r.then = "the spec was last written by " + job.spec_manager;
  r.since = true_condition_since(in.status, condition_type::suspended);
  return r;
}

optional_reason waiting_for_replicas_in_spec(const waiting_inputs& in) {
  if (!in.wanted || total_desired_replicas(*in.wanted, in.seen) > 0)
    return {};
  return reason_of("replicas: its spec asks for none",
                   {mover::person, "a person, who scales the job"});
}

// -- gang ---------------------------------------------------------------------

optional_reason waiting_for_gang_admission(const waiting_inputs& in) {
  const auto* group = own_pod_group(in.seen);
  if (!group || !in.wanted || !is_held_for_gang(in.seen, in.status, in.cluster))
    return {};
  auto phase = pod_group_phase(*group);
  auto r = reason_of(
      "its PodGroup " + group->name + " to be admitted; "
          + (phase.empty() ? "it has no phase yet" : "it is " + phase),
      {mover::cluster,
       "the gang scheduler; a person if the queue has no room for the job"});
  r.details = gang_waiting_reason(in.seen);
  r.since = in.status.gang_wait_since;
  return r;
}

// -- the end ------------------------------------------------------------------

optional_reason waiting_for_processes(const waiting_inputs& in) {
  auto running = pods_where(in, [](const child_view& p) {
    return p.phase == k8s::pod_phase::running;
  });
  if (running.empty())
    return {};
  auto r = reason_of("its processes to end",
                     {mover::program, "the processes in its pods"});
  r.since = true_condition_since(in.status, condition_type::running);
  return r;
}

/// "; restarted at 2026-01-31T12:00:00Z" of a job that was restarted for that.
std::string restart_after_stall_clause(const waiting_inputs& in) {
  const auto& r = *in.status.recovery;
  return r.attempt > 0 && r.last.reason == stalled_reason
             ? "; restarted at " + k8s::to_rfc3339(r.last.time)
             : "";
}

/// Of a job that is stalled, until it tells something again.
optional_reason waiting_for_progress(const waiting_inputs& in) {
  const auto& clock = *in.seen.silence();
  if (!clock.running_since
      || !in.status.is_condition_true(condition_type::stalled))
    return {};
  const auto& told = *in.seen.reported();
  auto r = reason_of("a report of its program",
                     {mover::program, "the processes in its pods; a person if "
                                      "they hang"});
  r.details =
      describe_silence(
          clock, told == progress_status{} ? *in.status.progress : told, in.now)
      + restart_after_stall_clause(in);
  r.since = clock.silent_since;
  if (!clock.is_stalled && in.wanted
      && in.wanted->policy.progress.on_stalled != stall_action::report) {
    r.then = std::string{"without one, by onStalled "}
             + to_string(in.wanted->policy.progress.on_stalled);
    r.until = clock.due;
  }
  return r;
}

optional_reason waiting_for_time_to_live(const waiting_inputs& in) {
  auto end = in.wanted ? ttl_expires_at(*in.wanted, in.status) : std::nullopt;
  if (!end)
    return {};
  auto r =
      reason_of("its deletion", the_operator, "by ttlSecondsAfterFinished");
  r.since = in.status.completion_time;
  r.until = end;
  return r;
}

// -- the table ----------------------------------------------------------------

/// Of which jobs a row speaks.
enum class jobs : std::uint8_t { all, unfinished, finished };

struct row {
  jobs of;
  const char* name;
  optional_reason (*find)(const waiting_inputs&);
};

/// The first row that finds a reason has it.
constexpr row rows[] = {
    {jobs::all, "quota", waiting_for_quota_of_deleted_job},
    {jobs::all, "deletion", waiting_for_deletion},
    {jobs::all, "other-operator", waiting_for_other_operator},
    {jobs::all, "other-controller", waiting_for_other_controller},
    {jobs::all, "recovery", waiting_for_recovery},

    {jobs::unfinished, "valid-spec", waiting_for_valid_spec},
    {jobs::unfinished, "readable-spec", waiting_for_readable_spec},
    {jobs::unfinished, "failed-call", waiting_for_failed_queue_call},
    {jobs::unfinished, "queue", waiting_for_queue},
    {jobs::unfinished, "stopping", waiting_for_stopping_pods},
    {jobs::unfinished, "resume-after-stop", waiting_for_stop_before_resume},
    {jobs::unfinished, "resume", waiting_for_resume},
    {jobs::unfinished, "replicas-in-spec", waiting_for_replicas_in_spec},
    {jobs::unfinished, "failed-call", waiting_for_failed_call},
    {jobs::unfinished, "gang-admission", waiting_for_gang_admission},
    {jobs::unfinished, "silent-node", waiting_for_silent_nodes},
    {jobs::unfinished, "restart", waiting_for_restart},
    {jobs::unfinished, "native-gang", waiting_for_native_gang},
    {jobs::unfinished, "troubled-pod", waiting_for_troubled_pods},
    {jobs::unfinished, "delayed-replacement", waiting_for_delayed_replacements},
    {jobs::unfinished, "failed-status-write", waiting_for_failed_status_write},
    {jobs::unfinished, "launcher-waits-for-workers",
     waiting_for_workers_before_launcher},
    {jobs::unfinished, "scheduling", waiting_for_scheduling},
    {jobs::unfinished, "start", waiting_for_start},
    {jobs::unfinished, "readiness", waiting_for_readiness},
    {jobs::unfinished, "call", waiting_for_call_in_flight},
    {jobs::unfinished, "queue", waiting_for_quota_of_growth},
    {jobs::unfinished, "missing-pods", waiting_for_missing_pods},
    {jobs::unfinished, "launcher-job", waiting_for_launcher_job},
    {jobs::unfinished, "launcher-pod", waiting_for_launcher_pod},
    {jobs::unfinished, "leaving-pods", waiting_for_leaving_pods},
    {jobs::unfinished, "lost-pods", waiting_for_lost_pods},
    {jobs::unfinished, "progress", waiting_for_progress},
    {jobs::unfinished, "processes", waiting_for_processes},
    {jobs::unfinished, "status-write", waiting_for_status_write},

    {jobs::finished, "failed-status-write", waiting_for_failed_status_write},
    {jobs::finished, "status-write", waiting_for_status_write},
    {jobs::finished, "failed-call", waiting_for_failed_call},
    {jobs::finished, "leaving-pods", waiting_for_leaving_pods},
    {jobs::finished, "call", waiting_for_call_in_flight},
    {jobs::finished, "time-to-live", waiting_for_time_to_live},
};

/// "" if there is no time left.
std::string time_left_clause(const waiting_reason& reason, time_point now) {
  if (!reason.until)
    return {};
  auto left = std::chrono::round<std::chrono::seconds>(*reason.until - now);
  return " in " + k8s::human_duration(left);
}

} // namespace

std::string describe_wait(const waiting_reason& reason, time_point now) {
  auto left = time_left_clause(reason, now);
  auto text = reason.what + (reason.then.empty() ? left : "");
  if (!reason.how.empty())
    text += ", " + reason.how;
  if (!reason.details.empty())
    text += ": " + reason.details;
  if (!reason.then.empty())
    text += "; " + reason.then + left;
  return text;
}

optional_reason find_waiting_reason(const waiting_inputs& in) {
  auto of = in.status.is_finished() ? jobs::finished : jobs::unfinished;
  for (const auto& r : rows) {
    if (r.of != jobs::all && r.of != of)
      continue;
    if (auto found = r.find(in)) {
      found->row = r.name;
      return found;
    }
  }
  return {};
}

} // namespace troupe::core
