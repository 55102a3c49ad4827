#include "frameworks/mpi_ssh/ssh_status.hpp"

#include "frameworks/core/model/recovery_json.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/completed_replicas.hpp"
#include "frameworks/core/pass/completion.hpp"
#include "frameworks/core/pass/restart_scope.hpp"
#include "frameworks/mpi_ssh/ssh_attempts.hpp"
#include "frameworks/mpi_ssh/ssh_settings.hpp"

#include <algorithm>

namespace troupe::frameworks::mpi_ssh {

using namespace core;

namespace {

constexpr const char* deadline_reason = "DeadlineExceeded";
constexpr const char* backoff_reason = "BackoffLimitExceeded";
/// Of a message in a condition or event.
constexpr std::size_t longest_message = 1024;

std::string shortened(std::string text) {
  if (text.size() <= longest_message)
    return text;
  auto end = longest_message - 3;
  auto is_inside_character = [&](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
  };
  while (end > 0 && is_inside_character(text[end]))
    --end;
  text.resize(end);
  return text + "...";
}

std::string filled(const char* phrase, const reconcile_context& ctx) {
  return fill_template(phrase, ctx.job);
}

const child_view* youngest_failed_launcher_pod(const observed_children& seen) {
  const child_view* found = nullptr;
  for (const auto& pod : seen.pods())
    if (is_launcher_pod(pod, seen) && pod.phase == k8s::pod_phase::failed
        && (!found || found->created < pod.created))
      found = &pod;
  return found;
}

struct end_reason {
  std::string reason;
  std::string message;
};

/// The Job's own, which for used-up retries name the last pod's, too.
end_reason reason_of_failed_launcher(const reconcile_context& ctx,
                                     const k8s::batch_job_state& launcher,
                                     const observed_children& seen) {
  end_reason end{launcher.failed_reason, launcher.failed_message};
  if (end.reason.empty())
    end.reason = "MPIJobFailed";
  if (end.message.empty())
    end.message = filled("{kind} {ns}/{name} has failed", ctx);
  if (end.reason == backoff_reason)
    if (const auto* pod = youngest_failed_launcher_pod(seen)) {
      end.reason += "/" + *pod->status_reason;
      if (pod->trouble)
        end.message = shortened(end.message + ": " + pod->trouble->message);
    }
  return end;
}

/// A job that ended before it was seen to run.
void set_running_false_if_never_set(reconcile_context& ctx) {
  auto& s = ctx.status();
  if (s.find_condition(condition_type::running))
    return;
  const auto when = s.completion_time.value_or(truncate_to_seconds(ctx.now));
  s.conditions.push_back(
      {condition_type::running, false, "MPIJobRunning",
       filled("{kind} {ns}/{name} is finished but Running condition was never "
              "set.",
              ctx),
       when, when});
}

void finish_job(reconcile_context& ctx, time_point when) {
  ctx.status().completion_time = truncate_to_seconds(when);
  if (auto i = ctx.status().replicas.find("Worker");
      i != ctx.status().replicas.end())
    i->second = {};
  if (auto i = ctx.status().replicas.find("Launcher");
      i != ctx.status().replicas.end())
    i->second.active = 0;
  set_running_false_if_never_set(ctx);
  forget_completed_replicas(ctx.status());
}

void count_in_phase(replica_status& counts, const child_view& pod) {
  if (pod.phase == k8s::pod_phase::running)
    ++counts.active;
  else if (pod.phase == k8s::pod_phase::succeeded)
    ++counts.succeeded;
  else if (pod.phase == k8s::pod_phase::failed)
    ++counts.failed;
}

bool is_worker(const child_view& pod) {
  return pod.owned && pod.at.type == worker_label;
}

replica_status count_workers(const job& j, const observed_children& seen) {
  replica_status result;
  for (const auto& pod : seen.pods())
    if (is_worker(pod) && pod.at.index < worker_count(j))
      count_in_phase(result, pod);
  return result;
}

/// Also while it waits for its pods to end before it is resumed.
bool is_suspended(const reconcile_context& ctx) {
  return ctx.job.policy.suspend
         || ctx.status().is_condition_true(condition_type::suspended);
}

std::int32_t count_done_without_pod(const reconcile_context& ctx) {
  for (const auto& type : ctx.children.types)
    if (type.spec->label == worker_label)
      return count_completed_without_pod(ctx, type);
  return 0;
}

/// After a restart, a Job that is gone may have left pods that still run.
std::int32_t count_running_launchers(const reconcile_context& ctx,
                                     const observed_children& seen) {
  bool all = ctx.status().recovery->attempt > 0;
  return static_cast<std::int32_t>(std::count_if(
      seen.pods().begin(), seen.pods().end(), [&](const auto& pod) {
        return pod.phase == k8s::pod_phase::running
               && (is_launcher_pod(pod, seen)
                   || (all && !(pod.made_by_job == uid_key{})));
      }));
}

replica_status count_launcher(const reconcile_context& ctx,
                              const k8s::batch_job_state& launcher,
                              const observed_children& seen) {
  replica_status result;
  result.failed = launcher.failed_pods;
  result.succeeded = launcher.complete ? 1 : 0;
  if (!launcher.is_finished())
    result.active = count_running_launchers(ctx, seen);
  return result;
}

/// How it ended counts, too, if somebody has removed it since.
const k8s::batch_job_state* launcher_state(const reconcile_context& ctx,
                                           const observed_children& seen) {
  const auto* launcher = current_launcher_job(ctx, seen);
  if (!launcher)
    launcher = removed_launcher_job_of_attempt(ctx, seen);
  return launcher ? launcher->batch_job.get() : nullptr;
}

void succeed_job(reconcile_context& ctx, time_point when) {
  auto message = filled("{kind} {ns}/{name} successfully completed.", ctx);
  ctx.set_condition(condition_type::succeeded, true, "Succeeded", message);
  ctx.add_event(false, "Succeeded", std::move(message));
  finish_job(ctx, when);
}

} // namespace

void set_created_condition(reconcile_context& ctx) {
  if (ctx.status().find_condition(condition_type::created))
    return;
  auto message = filled("{kind} {ns}/{name} is created.", ctx);
  ctx.set_condition(condition_type::created, true, "Created", message);
  ctx.add_event(false, "Created", std::move(message));
}

void set_suspended_conditions(reconcile_context& ctx) {
  if (ctx.set_condition(condition_type::suspended, true, "Suspended",
                        "MPIJob suspended"))
    ctx.add_event(false, "Suspended", "MPIJob suspended");
  ctx.set_condition(condition_type::running, false, "Suspended",
                    filled("{kind} {ns}/{name} is suspended.", ctx));
  forget_completed_replicas(ctx.status());
}

void set_resumed_condition(reconcile_context& ctx) {
  if (!ctx.status().is_condition_true(condition_type::suspended))
    return;
  ctx.set_condition(condition_type::suspended, false, "Resumed",
                    "MPIJob resumed");
  ctx.add_event(false, "Resumed", "MPIJob resumed");
  ctx.status().start_time = truncate_to_seconds(ctx.now);
}

void record_completed_launcher(reconcile_context& ctx,
                               const observed_children& seen) {
  const auto* launcher = launcher_state(ctx, seen);
  if (!launcher || !launcher->complete || is_launcher_done(ctx))
    return;
  auto recovery = *ctx.status().recovery;
  recovery.completed["Launcher"].insert(0);
  // Its workers have less room now.
  keep_writable_completed(recovery);
  ctx.status().recovery = std::move(recovery);
}

namespace {

/// A suspended one is made anew, to be in another gang. Whoever found none, and
/// a launcher in the status, would take it for lost.
bool is_launcher_being_replaced(const reconcile_context& ctx,
                                const observed_children& seen) {
  const auto* launcher = current_launcher_job(ctx, seen);
  return launcher && launcher->batch_job->suspended
         && (launcher->is_leaving() || launcher->delete_requested)
         && ctx.saved.replicas.count("Launcher") == 0;
}

} // namespace

void update_counts(reconcile_context& ctx, const observed_children& seen) {
  auto& counts = ctx.status().replicas;
  auto& workers = counts["Worker"] = count_workers(ctx.job, seen);
  workers.succeeded += count_done_without_pod(ctx);
  if (is_suspended(ctx))
    workers.succeeded = workers.failed = 0;
  if (is_launcher_being_replaced(ctx, seen)) {
    counts.erase("Launcher");
  } else if (const auto* launcher = launcher_state(ctx, seen)) {
    counts["Launcher"] = count_launcher(ctx, *launcher, seen);
  } else if (is_launcher_done(ctx)) {
    auto& done = counts["Launcher"] = {};
    done.succeeded = 1;
  } else if (auto i = counts.find("Launcher");
             i != counts.end() && ctx.status().recovery->attempt > 0) {
    i->second = {};
    i->second.active = count_running_launchers(ctx, seen);
  }
}

namespace {

/// Those that are not made again, because they have succeeded.
std::int32_t count_done_workers(const reconcile_context& ctx) {
  for (const auto& type : ctx.children.types)
    if (type.spec->label == worker_label)
      return count_completed_without_pod(ctx, type);
  return 0;
}

} // namespace

void set_running_condition_if_all_run(reconcile_context& ctx,
                                      const observed_children& seen) {
  const auto& counts = ctx.status().replicas;
  auto workers = counts.find("Worker");
  const auto* launcher = launcher_state(ctx, seen);
  if (is_suspended(ctx) || is_restart_under_way(ctx) || !launcher
      || launcher->suspended || count_running_launchers(ctx, seen) == 0
      || workers == counts.end()
      || workers->second.active + count_done_workers(ctx)
             != worker_count(ctx.job))
    return;
  if (ctx.set_condition(condition_type::running, true, "Running",
                        filled("{kind} {ns}/{name} is running.", ctx)))
    ctx.add_event(false, "Running",
                  filled("{kind} {ns}/{name} is running", ctx));
}

bool end_job_with_launcher(reconcile_context& ctx,
                           const observed_children& seen) {
  const auto* launcher = launcher_state(ctx, seen);
  if (has_own_success_policy(ctx.job) && has_succeeded_by_policy(ctx)) {
    succeed_job(ctx, ctx.now);
    return true;
  }
  if (launcher ? launcher->complete : is_launcher_done(ctx)) {
    if (has_own_success_policy(ctx.job))
      return false;
    succeed_job(ctx, launcher ? launcher->ended.value_or(ctx.now) : ctx.now);
    return true;
  }
  if (!launcher || !launcher->is_finished())
    return false;
  if (decides_about_launcher(ctx.job)
      && launcher->failed_reason != deadline_reason)
    return false;
  auto end = reason_of_failed_launcher(ctx, *launcher, seen);
  fail_job(ctx, end.reason, end.message);
  return true;
}

void fail_job(reconcile_context& ctx, const std::string& reason,
              const std::string& message) {
  ctx.status().set_condition(condition_type::failed, true, reason, message,
                             ctx.now);
  ctx.result.events.push_back({true, reason, message});
  finish_job(ctx, ctx.now);
}

void remove_unfinished_failure(job_status& s) {
  const auto* failed = s.find_condition(condition_type::failed);
  if (!failed || s.completion_time || failed->reason != "MPIJobEvicted")
    return;
  auto& all = s.conditions;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const condition& c) {
                             return c.type == condition_type::failed;
                           }),
            all.end());
}

} // namespace troupe::frameworks::mpi_ssh
