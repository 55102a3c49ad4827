#include "frameworks/mpi_ssh/ssh_launcher.hpp"

#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "frameworks/core/pass/restart_scope.hpp"
#include "frameworks/core/spec/native_gang_spec.hpp"
#include "frameworks/mpi_ssh/ssh_attempts.hpp"
#include "frameworks/mpi_ssh/ssh_pods.hpp"
#include "frameworks/mpi_ssh/ssh_settings.hpp"
#include "frameworks/mpi_ssh/ssh_status.hpp"

#include <algorithm>

namespace troupe::frameworks::mpi_ssh {

using namespace core;

namespace {

void patch_launcher(reconcile_context& ctx, const child_view& launcher,
                    std::string operations, const char* why,
                    bool of_status = false) {
  patch_auxiliary patch;
  patch.kind = child_kind::launcher_job;
  patch.name = launcher.name;
  patch.uid = launcher.uid.text();
  patch.why = why;
  patch.version = std::to_string(launcher.version);
  patch.operations = std::move(operations);
  patch.of_status = of_status;
  ctx.plan_patch_unless_blocked(launcher, std::move(patch));
}

void add_template_warnings(reconcile_context& ctx) {
  for (auto& e : launcher_template_warnings(ctx.job))
    ctx.result.events.push_back(std::move(e));
}

std::optional<std::int32_t> attempt_of(const reconcile_context& ctx) {
  return attempt_for_new_pod(ctx.job, ctx.status(), launcher_label);
}

auxiliary_object wanted_launcher(const reconcile_context& ctx) {
  auto wanted = launcher_job_object(ctx.job, ctx.cluster, attempt_of(ctx));
  if (!ctx.scheduling_group.empty())
    wanted.body =
        with_scheduling_group_in_template(wanted.body, ctx.scheduling_group);
  return wanted;
}

void create_launcher(reconcile_context& ctx, const observed_children& seen) {
  const auto before = ctx.result.decisions.size();
  create_correct_or_read_auxiliary(ctx, seen, wanted_launcher(ctx));
  if (ctx.result.decisions.size() > before)
    add_template_warnings(ctx);
}

/// Whether its pod would not be in the gang of the others. Without such gangs
/// the API server may have dropped what the user's template says.
bool is_of_other_gang(const reconcile_context& ctx,
                      const child_view& launcher) {
  const auto wanted = scheduling_group_in_template(wanted_launcher(ctx).body);
  return launcher.batch_job->scheduling_group != wanted
         && (wanted.empty() || ctx.cluster.scheduling == gang::kubernetes);
}

bool has_saved_launcher(const reconcile_context& ctx) {
  return ctx.saved.replicas.count("Launcher") > 0;
}

/// Whether a job whose status counts a launcher may be without.
bool may_lack_saved_launcher(const reconcile_context& ctx) {
  return decides_about_launcher(ctx.job) || ctx.saved.recovery->attempt > 0;
}

bool has_launcher_pod_left(const observed_children& seen) {
  return std::any_of(seen.pods().begin(), seen.pods().end(),
                     [&](const auto& p) {
                       return is_launcher_pod(p, seen) && !p.is_finished();
                     });
}

/// A Job that is suspended runs nothing, so it may go once its pods have. It is
/// counted no more before: else whoever finds none would take it for lost.
void replace_suspended_launcher(reconcile_context& ctx,
                                const observed_children& seen,
                                const child_view& launcher) {
  bool may_lack = may_lack_saved_launcher(ctx);
  if (!may_lack)
    ctx.status().replicas.erase("Launcher");
  if ((may_lack || !has_saved_launcher(ctx)) && !has_launcher_pod_left(seen))
    ctx.plan_deletion_unless_blocked(child_kind::launcher_job, launcher,
                                     "its pod has to be in another PodGroup");
}

void resume_launcher(reconcile_context& ctx, const observed_children& seen,
                     const child_view& launcher) {
  if (is_of_other_gang(ctx, launcher))
    return replace_suspended_launcher(ctx, seen, launcher);
  // With a start time, the API server accepts no other template.
  if (launcher.batch_job->started)
    patch_launcher(ctx, launcher, start_time_removal_patch(),
                   "its template may change before it runs again",
                   /*of_status=*/true);
  else
    patch_launcher(ctx, launcher,
                   resumption_patch(ctx.job, ctx.cluster, attempt_of(ctx)),
                   "the job is resumed");
}

/// Whether another attempt is not over yet.
bool is_launcher_held(const reconcile_context& ctx,
                      const observed_children& seen) {
  const auto* type = ctx.job.find_replica_spec(launcher_label);
  return !older_launcher_jobs(ctx, seen).empty()
         || is_pod_of_other_launcher_left(ctx, seen)
         || (type && is_type_held_by_restart(restart_state_of(ctx), *type));
}

} // namespace

bool find_or_miss_earlier_launcher(reconcile_context& ctx,
                                   const observed_children& seen) {
  // What its policy decides about is restarted for the loss.
  bool vanished =
      seen.launchers().has_vanished() && !decides_about_launcher(ctx.job);
  bool may_be_unknown =
      has_saved_launcher(ctx) && !seen.has_ever_had(child_kind::launcher_job);
  if ((!vanished && !may_be_unknown) || is_launcher_done(ctx))
    return true;
  if (seen.was_looked_up_in_vain(child_kind::launcher_job)) {
    if (!vanished && may_lack_saved_launcher(ctx))
      return true;
    fail_job(ctx, "MPIJobLauncherLost",
             "The launcher's Job " + launcher_job_name(ctx.job)
                 + " was removed while nobody watched it, so its work may have "
                   "been done; create the MPIJob anew to run it again");
    return false;
  }
  ctx.plan_lookup_unless_blocked(child_kind::launcher_job,
                                 launcher_job_name(ctx.job),
                                 "the job had one, and no watch has shown it");
  return false;
}

void reconcile_launcher_job(reconcile_context& ctx,
                            const observed_children& seen, bool stops,
                            bool workers_ready) {
  const auto* launcher = current_launcher_job(ctx, seen);
  bool may_run = !launcher_waits_for_workers(ctx.job) || workers_ready;
  if (!launcher) {
    if ((stops ? ctx.job.policy.suspend : may_run) && !is_launcher_done(ctx)
        && !is_launcher_held(ctx, seen))
      create_launcher(ctx, seen);
    return;
  }
  if (!launcher->labels_match_job)
    return patch_launcher(ctx, *launcher, operator_label_patch(),
                          "watches select Jobs by a label");
  // What it would say is over with the suspension: it runs anew afterwards.
  if (stops && launcher->batch_job->failed && decides_about_launcher(ctx.job))
    return ctx.plan_deletion_unless_blocked(child_kind::launcher_job, *launcher,
                                            "it has failed, and the job is "
                                            "suspended");
  if (launcher->batch_job->is_finished()
      || launcher->batch_job->suspended == stops)
    return;
  if (stops)
    patch_launcher(ctx, *launcher, suspension_patch(), "the job is suspended");
  else if (may_run)
    resume_launcher(ctx, seen, *launcher);
}

} // namespace troupe::frameworks::mpi_ssh
