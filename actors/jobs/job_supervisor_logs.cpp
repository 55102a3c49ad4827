// How a supervisor has the log read that tells how far its job is.

#include "actors/jobs/job_supervisor.hpp"
#include "frameworks/core/model/names.hpp"

#include <nlohmann/json.hpp>

namespace troupe::actors {

void job_supervisor_state::follow_log_if_changed() {
  const auto& job = *memory_.job();
  if (!context_->logs || (!job.policy.progress.log && !log_->log))
    return;
  const auto& saved = *status_writer_.saved_status();
  auto next = core::log_to_follow(job, memory_.observed(), saved);
  if (!next && !log_->log)
    return;
  auto& now = log_.change();
  if (next) {
    if (now.log == next && now.rules == job.policy.progress.log)
      return;
    if (!now.log || now.log->pod_uid != next->pod_uid)
      now.problem.clear();
    now.log = std::move(next);
    now.rules = job.policy.progress.log;
    now.ends_soon = false;
    self_->send(context_->logs,
                follow_log{caf::actor_cast<log_owner_actor>(self_), ref_->ns,
                           *now.log, now.rules});
  } else if (!saved.is_finished()) {
    now.log.reset(); // Its pod has gone.
    self_->send(context_->logs, end_log{self_->id()});
  } else if (!now.ends_soon) {
    now.ends_soon = true;
    self_->send(context_->logs, end_log{self_->id(), true});
  }
}

void job_supervisor_state::on_log_report(const log_report& report) {
  auto change =
      memory_.record_log_report(report.pod_uid, report.progress, now());
  if (!change)
    return;
  count_emit_and_reconcile_if_needed(*change);
  progress_history_.change().add(*memory_.observed().reported());
}

void job_supervisor_state::on_log_reading(const log_reading& r) {
  if (!log_->log || log_->log->pod_uid != r.pod_uid)
    return;
  count_emit_and_reconcile_if_needed(
      memory_.record_log_reading(r.pod_uid, r.problem.empty()));
  if (log_->problem == r.problem)
    return;
  log_.change().problem = r.problem;
  if (!r.problem.empty())
    record_events_if_reconciling(
        {{true, core::kind_prefixed_reason(*ref_->kind, "LogNotRead"),
          "The log rules are not applied to the log of " + log_->log->pod + ": "
              + r.problem}});
}

nlohmann::json job_supervisor_state::log_report_json() const {
  const auto& job = memory_.job();
  if (!job || !job->policy.progress.log)
    return nullptr;
  nlohmann::json out = nlohmann::json::object();
  if (log_->log) {
    out["pod"] = log_->log->pod;
    out["container"] = log_->log->container;
  }
  if (!log_->problem.empty())
    out["problem"] = log_->problem;
  else if (!core::replica_of_log(*job))
    out["problem"] = "the job has no such replica as logReplica names";
  return out;
}

} // namespace troupe::actors
