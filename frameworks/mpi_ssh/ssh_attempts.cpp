#include "frameworks/mpi_ssh/ssh_attempts.hpp"

#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/mpi_ssh/ssh_settings.hpp"

#include <algorithm>

namespace troupe::frameworks::mpi_ssh {

using namespace core;

namespace {

constexpr const char* launcher_type = "Launcher";
/// A Job's failure may be seen before that of its pod, which says more.
constexpr seconds longest_wait_for_pod{5};

std::int32_t launcher_attempt(const reconcile_context& ctx) {
  return ctx.status().recovery->attempt_of(launcher_type);
}

bool is_deleted_by_us(const child_view& v) {
  return v.delete_requested || v.delete_in_flight;
}

/// What its end asks for is decided by what was last seen of it.
bool was_pod_seen_to_go(const observed_children& seen) {
  const auto& gone = seen.gone().lost();
  return std::any_of(gone.begin(), gone.end(), [](const child_view& v) {
    return v.at.type == launcher_label;
  });
}

/// By the saved status, that of the latest attempt ran.
bool ran_launcher_in_attempt(const reconcile_context& ctx) {
  const auto* type = ctx.job.find_replica_spec(launcher_label);
  return type && ctx.saved.recovery->attempt == ctx.status().recovery->attempt
         && have_all_run(ctx.saved, *type);
}

bool has_vanished_unseen(const reconcile_context& ctx,
                         const observed_children& seen) {
  return !seen.has_ever_had(child_kind::launcher_job)
         && seen.was_looked_up_in_vain(child_kind::launcher_job)
         && ran_launcher_in_attempt(ctx);
}

/// Whether its Job has failed, and no pod will say why.
bool has_failed_without_pod(reconcile_context& ctx,
                            const observed_children& seen,
                            const k8s::batch_job_state& launcher) {
  if (!launcher.failed || launcher_pod_in_slot(ctx) || was_pod_seen_to_go(seen))
    return false;
  auto end = launcher.ended.value_or(time_point{}) + longest_wait_for_pod;
  if (ctx.now >= end)
    return true;
  ctx.requeue_no_later_than(end);
  return false;
}

} // namespace

bool has_launcher_failed_without_pod(reconcile_context& ctx,
                                     const observed_children& seen,
                                     const child_view& launcher) {
  return launcher.batch_job->failed && !launcher_pod_in_slot(ctx)
         && (was_pod_seen_to_go(seen)
             || has_failed_without_pod(ctx, seen, *launcher.batch_job));
}

bool decides_about_launcher(const job& j) {
  return j.failure_policy_or_default().may_restart_beyond_pod();
}

const child_view* current_launcher_job(const reconcile_context& ctx,
                                       const observed_children& seen) {
  const auto* launcher = own_launcher_job(seen);
  return launcher && launcher->attempt >= launcher_attempt(ctx) ? launcher
                                                                : nullptr;
}

const child_view*
removed_launcher_job_of_attempt(const reconcile_context& ctx,
                                const observed_children& seen) {
  const auto* removed = seen.launchers().removed();
  return removed && removed->attempt >= launcher_attempt(ctx) ? removed
                                                              : nullptr;
}

const child_view* launcher_pod_in_slot(const reconcile_context& ctx) {
  for (const auto& type : ctx.children.types)
    if (type.spec->label == launcher_label && !type.slots.empty())
      return type.slots.front().pod;
  return nullptr;
}

std::vector<const child_view*>
older_launcher_jobs(const reconcile_context& ctx,
                    const observed_children& seen) {
  std::vector<const child_view*> result;
  for (const auto& v : seen.children_of_kind(child_kind::launcher_job))
    if (v.owned && v.attempt < launcher_attempt(ctx))
      result.push_back(&v);
  return result;
}

bool is_pod_of_other_launcher_left(const reconcile_context& ctx,
                                   const observed_children& seen) {
  if (!decides_about_launcher(ctx.job) && ctx.status().recovery->attempt == 0)
    return false;
  const auto& pods = seen.pods();
  return std::any_of(pods.begin(), pods.end(), [&](const child_view& pod) {
    return !(pod.made_by_job == uid_key{}) && !is_launcher_pod(pod, seen);
  });
}

bool is_launcher_done(const reconcile_context& ctx) {
  return ctx.status().recovery->completed_of(launcher_type).contains(0);
}

std::vector<lost_replica> find_lost_launchers(reconcile_context& ctx,
                                              const observed_children& seen) {
  if (!decides_about_launcher(ctx.job) || is_launcher_done(ctx))
    return {};
  const auto name = launcher_job_name(ctx.job);
  if (has_vanished_unseen(ctx, seen))
    return {{launcher_type, name, /*failed=*/false, ""}};
  const auto* launcher = current_launcher_job(ctx, seen);
  if (!launcher || is_deleted_by_us(*launcher))
    return {};
  const auto& state = *launcher->batch_job;
  if (launcher->terminating && !state.is_finished())
    return {{launcher_type, name, /*failed=*/false, ""}};
  if (has_failed_without_pod(ctx, seen, state))
    return {{launcher_type, name, /*failed=*/true, state.failed_reason}};
  return {};
}

} // namespace troupe::frameworks::mpi_ssh
