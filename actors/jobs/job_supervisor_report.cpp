// What a supervisor shows of itself; kept apart from what it does.

#include "actors/base/supervision.hpp"
#include "actors/jobs/job_supervisor.hpp"
#include "actors/jobs/orders/replica_group.hpp"
#include "actors/jobs/report/report_times.hpp"
#include "actors/jobs/report/restart_report.hpp"
#include "actors/jobs/report/waiting_report.hpp"
#include "actors/metrics/metrics.hpp"
#include "frameworks/core/memory/queue_use.hpp"
#include "frameworks/core/observed/crash_loop.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/pod_problem.hpp"
#include "frameworks/core/pass/deadlines.hpp"
#include "frameworks/core/pass/desired_replicas.hpp"
#include "frameworks/core/pass/plan.hpp"
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/waiting/shown_summary.hpp"
#include "frameworks/core/waiting/waiting_calls.hpp"
#include "k8s/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace troupe::actors {

using nlohmann::json;

namespace {

double seconds_between(k8s::time_point from, k8s::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

json crash_loop_json(const core::crash_loop& loop) {
  json out{
      {loop.container.empty() ? "podsFailedInARow" : "restarts", loop.times}};
  if (!loop.container.empty())
    out["container"] = loop.container;
  if (loop.exit_code)
    out["lastExitCode"] = *loop.exit_code;
  if (!loop.reason.empty())
    out["lastReason"] = loop.reason;
  add_time_if_known(out, "nextTryAt", loop.next_try);
  add_time_if_known(out, "runningSince", loop.running_since);
  return out;
}

json child_row_json(const core::child_view& c, bool is_pod, bool includes_ready,
                    k8s::time_point now) {
  json row{{"name", c.name},
           {"uid", c.uid.text()},
           {"type", c.at.type},
           {"index", c.at.index},
           {"resourceVersion", c.version},
           {"confirmedByWatch", c.list_number > 0},
           {"owned", c.owned},
           {"terminating", c.terminating}};
  if (!is_pod)
    return row;
  if (!(c.made_by_job == core::uid_key{}))
    row["madeByJob"] = c.made_by_job.text();
  row["phase"] = to_string(c.phase);
  row["scheduled"] = c.scheduled;
  if (includes_ready)
    row["ready"] = c.ready;
  row["restarts"] = c.restarts;
  if (c.exit_code)
    row["exitCode"] = *c.exit_code;
  if (c.disrupted)
    row["disrupted"] = true;
  if (c.early_failures > 0)
    row["earlyFailuresBefore"] = c.early_failures;
  if (auto then = core::delayed_replacement_time_if_any(c);
      then && !c.terminating)
    row["replacedAt"] = k8s::to_rfc3339(*then);
  if (auto problem = core::crash_loop_or_pod_problem(c, now);
      !problem.reason.empty())
    row["trouble"] = problem.message.empty()
                         ? problem.reason
                         : problem.reason + ": " + problem.message;
  if (auto loop = core::find_crash_loop(c, now))
    row["crashLoop"] = crash_loop_json(*loop);
  return row;
}

json children_rows_json(const core::observed_children::children& all,
                        bool are_pods, k8s::time_point now,
                        bool includes_ready = false) {
  auto rows = json::array();
  for (const auto& c : all)
    rows.push_back(child_row_json(c, are_pods, includes_ready, now));
  return rows;
}

json expectation_rows_json(const core::expectations& open,
                           const core::observed_children& seen,
                           k8s::time_point now) {
  auto rows = json::array();
  for (const auto& r : open.report_rows()) {
    json row{{"what", core::to_string(r.kind)},
             {"action", r.action ? core::to_string(*r.action) : "create"},
             {"subject", r.subject},
             {"text", core::describe_expectation(r, seen)},
             {"ageSeconds", seconds_between(r.since, now)},
             {"attempts", r.attempts}};
    if (r.retry_not_before)
      row["heldForSeconds"] = seconds_between(now, *r.retry_not_before);
    if (r.attempts > 0)
      row["lastFailure"] = {
          {"code", k8s::to_string(r.last_failure.code)},
          {"message", core::append_whose_move_if_known(r.last_failure.message,
                                                       r.whose_move)}};
    rows.push_back(std::move(row));
  }
  return rows;
}

json progress_report_json(const core::progress_status& told,
                          const core::progress_history& history) {
  auto out = core::to_progress_json(told);
  if (out.is_null())
    return out;
  const auto& names = history.names();
  for (auto& metric : k8s::ensure_array(out, "metrics")) {
    auto i =
        std::find(names.begin(), names.end(), k8s::text_at(metric, {"name"}));
    if (i == names.end())
      continue;
    auto& points = metric["points"] = json::array();
    for (const auto& p : history.points())
      if (auto value = p.values[static_cast<std::size_t>(i - names.begin())];
          !std::isnan(value))
        points.push_back({std::chrono::duration_cast<std::chrono::seconds>(
                              p.time.time_since_epoch())
                              .count(),
                          value});
  }
  return out;
}

/// What may keep a job from running, and when it ends or is deleted.
void add_blockers_and_deadlines(json& out, const core::job& j,
                                const core::job_status& status) {
  if (j.deleting)
    out["deleting"] = true;
  if (!j.validation_error.empty())
    out["invalid"] = j.validation_error;
  if (!j.left_to_other.empty())
    out["leftToOther"] = j.left_to_other;
  if (core::is_managed_externally(j))
    out["managedBy"] = *j.policy.managed_by;
  if (j.policy.suspend)
    out["suspended"] = {{"specManager", j.spec_manager}, {"queue", j.queue}};
  auto deadline = core::active_deadline_at(j, status);
  if (deadline && !status.is_finished())
    out["activeDeadlineAt"] = k8s::to_rfc3339(*deadline);
  if (auto end = core::ttl_expires_at(j, status))
    out["deletedAt"] = k8s::to_rfc3339(*end);
}

json launcher_job_json(const core::child_view& launcher) {
  const auto& state = *launcher.batch_job;
  json out{{"name", launcher.name},
           {"uid", launcher.uid.text()},
           {"resourceVersion", launcher.version},
           {"terminating", launcher.terminating},
           {"suspended", state.suspended},
           {"failedPods", state.failed_pods},
           {"complete", state.complete},
           {"failed", state.failed}};
  if (state.failed)
    out["reason"] = state.failed_reason;
  if (!launcher.labels_match_job)
    out["lacksLabel"] = true;
  add_time_if_known(out, "startedAt", state.started);
  add_time_if_known(out, "endedAt", state.ended);
  return out;
}

json replica_counts_json(const core::job_status& status) {
  auto out = json::object();
  for (const auto& [type, counts] : status.replicas)
    out[type] = {{"active", counts.active},
                 {"succeeded", counts.succeeded},
                 {"failed", counts.failed}};
  return out;
}

} // namespace

report_ptr job_supervisor_state::report() const {
  auto time = now();
  auto out = own_report(
      *self_,
      {{"kind", ref_->kind->names.type.kind},
       {"apiVersion", ref_->kind->names.type.api_version()},
       {"namespace", ref_->ns},
       {"name", ref_->name},
       {"uid", ref_->uid},
       {"resourceVersion", version_},
       {"at", k8s::to_rfc3339(time)},
       {"created", k8s::to_rfc3339(created_)},
       {"summary", summary_},
       {"passes", reconcile_count_},
       {"recovering", reads_.is_recovering()},
       {"requests",
        {{"active", requests_->is_active()},
         {"waiting", requests_->waiting_count()}}},
       {"status", json::parse(ref_->kind->own.status.encode(*status_))},
       {"replicaCounts", replica_counts_json(*status_)},
       {"statusWriter", status_writer_.report()},
       {"timeline", timeline_.report()},
       {"pods", children_rows_json(memory_.observed().pods(), true, time,
                                   ref_->kind->pods.counts_ready_pods)},
       {"services",
        children_rows_json(memory_.observed().services(), false, time)},
       {"expectations", expectation_rows_json(memory_.expectations(),
                                              memory_.observed(), time)}});
  if (const auto& job = memory_.job()) {
    out["generation"] = job->generation;
    out["replicas"] = core::desired_replicas(*job, memory_.observed());
    out["mainContainer"] = job->kind->pods.container;
    for (const auto& r : job->replicas)
      out["mainContainers"][r.label] = r.main_container;
    add_blockers_and_deadlines(out, *job, *status_);
  }
  if (const auto* launcher = core::own_launcher_job(memory_.observed()))
    out["launcherJob"] = launcher_job_json(*launcher);
  if (job_undecodable_)
    out["undecodable"] = true;
  add_restart_report(out, {memory_, *status_, *status_writer_.saved_status(),
                           recovery_times_, time});
  add_waiting_report(out, waiting_inputs());
  if (auto told = progress_report_json(*shown_progress(), *progress_history_);
      !told.is_null())
    out["progress"] = std::move(told);
  if (auto log = log_report_json(); !log.is_null())
    out["log"] = std::move(log);
  auto& timers = out["timers"] = json::array();
  if (auto next = requeue_.at())
    timers.push_back({{"what", "next look"},
                      {"at", k8s::to_rfc3339(*next)},
                      {"inSeconds", seconds_between(time, *next)}});
  auto& orders = out["orders"] = json::array();
  for (const auto& [id, d] : memory_.orders_in_flight())
    orders.push_back({{"id", id}, {"order", describe_decision(*d)}});
  auto& groups = out["groups"] = json::array();
  for (const auto& [which, group] : groups_.all())
    groups.push_back(to_string(which));
  auto& notes = out["lastDecisions"] = json::array();
  for (const auto& n : decision_log_.notes())
    notes.push_back({{"at", k8s::to_rfc3339(n.at)}, {"what", n.text}});
  return std::make_shared<const json>(std::move(out));
}

core::waiting_inputs job_supervisor_state::waiting_inputs() const {
  return {memory_.job().get(),
          memory_.observed(),
          memory_.expectations(),
          *status_,
          context_->options->cluster,
          {reads_.is_recovering(), job_undecodable_,
           status_writer_.write_state(), queue_news_query_->news()},
          now(),
          &*status_writer_.saved_status()};
}

std::string job_supervisor_state::shown_summary() const {
  return core::shown_summary(summary_, waiting_inputs());
}

const core::shared_value<core::progress_status>&
job_supervisor_state::shown_progress() const {
  const auto& told = memory_.observed().reported();
  return *told == core::progress_status{} ? status_->progress : told;
}

std::int32_t job_supervisor_state::desired_replica_count() const {
  return memory_.job()
             ? core::total_desired_replicas(*memory_.job(), memory_.observed())
             : 0;
}

std::string
job_supervisor_state::describe_decision(const core::decision& d) const {
  return memory_.job() ? core::describe_decision(d, *memory_.job())
                       : core::describe_decision(d);
}

job_row job_supervisor_state::make_admin_row() const {
  job_row r;
  r.job = ref_;
  r.created = created_;
  r.summary = shown_summary();
  r.finished = status_->is_finished();
  r.replicas = desired_replica_count();
  r.state = status_->latest_true_condition();
  r.percent = shown_progress()->percent;
  r.attempt = status_->recovery->attempt;
  if (r.attempt > 0)
    r.restart_reason = status_->recovery->last.reason;
  for (const auto& [type, counts] : status_->replicas) {
    r.running += counts.active;
    r.succeeded += counts.succeeded;
    r.failed += counts.failed;
  }
  return r;
}

bool job_supervisor_state::has_launcher_job() const {
  return *ref_->kind->names.type_made_by_job != '\0';
}

void job_supervisor_state::update_job_metrics() {
  if (const auto* launcher = core::own_launcher_job(memory_.observed()))
    job_meter_->set_launcher_job(ref_->ns, launcher->name);
  job_meter_->set_state(status_->latest_true_condition());
  job_meter_->set_progress(ref_->ns, ref_->name,
                           status_->is_finished() ? std::nullopt
                                                  : shown_progress()->percent);
  const auto& cluster = context_->options->cluster;
  if (cluster.queueing.on || cluster.queueing.holds)
    job_meter_->set_queue_use(
        ref_->ns,
        core::find_queue_use(*memory_.job(), memory_.observed(),
                             memory_.expectations(),
                             *status_writer_.saved_status(), now(), cluster),
        now());
  auto outstanding = memory_.expectations().count_blocking_expectations(now());
  job_meter_->set_expectations(outstanding.count, outstanding.oldest);
  auto times = startup_.take_startup_times(
      *status_, memory_.observed().pods().size(),
      static_cast<std::size_t>(memory_.job()->total_replicas()), now());
  if (times.to_all_pods)
    job_meter_->observe_time_to_all_pods(times.to_all_pods->count());
  if (times.to_running)
    job_meter_->observe_time_to_running(times.to_running->count());
  job_meter_->count_recovery(
      recovery_times_.record_pass(*memory_.job(), memory_.observed(), *status_,
                                  *status_writer_.saved_status(), now()));
  job_meter_->set_activity(recovery_times_.activity(), now());
}

caf::result<report_ptr> job_supervisor_state::reply_with_report_tree() {
  std::vector<reporting_actor> groups;
  for (const auto& [which, group] : groups_.all())
    groups.push_back(group);
  std::int64_t running = 0;
  for (const auto& [type, r] : status_->replicas)
    running += r.active;
  auto own = own_report(
      *self_, {{"kind", ref_->kind->names.type.kind},
               {"namespace", ref_->ns},
               {"name", ref_->name},
               {"uid", ref_->uid},
               {"created", k8s::to_rfc3339(created_)},
               {"replicas", desired_replica_count()},
               {"running", running},
               {"finished", status_->is_finished()},
               {"summary", shown_summary()},
               {"attempt", status_->recovery->attempt},
               {"pods", memory_.observed().pods().size()},
               {"ordersUnderWay", memory_.orders_in_flight().size()}});
  if (auto percent = shown_progress()->percent)
    own["percent"] = *percent;
  return collect_report_tree(self_, std::move(own), groups);
}

void job_supervisor_state::tell_standing_warning_if_new(
    const std::optional<core::job_event>& warning) {
  auto text = warning ? warning->message : "";
  if (told_warning_ == text)
    return;
  told_warning_ = std::move(text);
  if (warning)
    record_events_if_reconciling({*warning});
}

} // namespace troupe::actors
