#include "frameworks/mpi_ssh/ssh_launcher.hpp"

#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "frameworks/core/pass/restart_scope.hpp"
#include "frameworks/core/spec/native_gang_spec.hpp"
#include "frameworks/mpi_ssh/ssh_attempts.hpp"
#include "frameworks/mpi_ssh/ssh_pods.hpp"
#include "frameworks/mpi_ssh/ssh_settings.hpp"
#include "frameworks/mpi_ssh/ssh_status.hpp"

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

void create_launcher(reconcile_context& ctx, const observed_children& seen) {
  const auto before = ctx.result.decisions.size();
  auto wanted = launcher_job_object(ctx.job, ctx.cluster, attempt_of(ctx));
  if (!ctx.scheduling_group.empty())
    wanted.body =
        with_scheduling_group_in_template(wanted.body, ctx.scheduling_group);
  create_correct_or_read_auxiliary(ctx, seen, wanted);
  if (ctx.result.decisions.size() > before)
    add_template_warnings(ctx);
}

void resume_launcher(reconcile_context& ctx, const child_view& launcher) {
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

bool has_saved_launcher(const reconcile_context& ctx) {
  return ctx.saved.replicas.count("Launcher") > 0;
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
    bool may_be_none =
        decides_about_launcher(ctx.job) || ctx.saved.recovery->attempt > 0;
    if (!vanished && may_be_none)
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
    resume_launcher(ctx, *launcher);
}

} // namespace troupe::frameworks::mpi_ssh
