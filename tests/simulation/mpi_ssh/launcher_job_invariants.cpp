#include "tests/simulation/mpi_ssh/launcher_job_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

const std::map<std::string, std::string>& names_by_plural() {
  static const std::map<std::string, std::string> all{
      {"services", "job"},
      {"configmaps", "job-config"},
      {"secrets", "job-ssh"},
      {"jobs", "job-launcher"}};
  return all;
}

bool is_suspended(const json& spec) {
  return at(spec, "runPolicy", "suspend") == true;
}

std::string policy_of(const json& spec) {
  return text(at(spec, "runPolicy", "cleanPodPolicy"));
}

bool has_condition(const json& object, const char* type) {
  return is_true(at(object, "status"), type);
}

const json& condition_or_null(const json& status, const char* type) {
  for (const auto& c : at(status, "conditions"))
    if (text(at(c, "type")) == type)
      return c;
  static const json none;
  return none;
}

} // namespace

bool has_ready_condition(const json& pod) {
  return has_condition(pod, "Ready");
}

bool is_disrupted(const json& pod) {
  return has_condition(pod, "DisruptionTarget");
}

bool has_job_ended(const json& batch_job) {
  return has_condition(batch_job, "Complete")
         || has_condition(batch_job, "Failed");
}

int worker_count_of(const json& spec) {
  return number(at(spec, "mpiReplicaSpecs", "Worker", "replicas"));
}

int worker_index_of(const json& pod) {
  const auto& name = name_of(pod);
  return std::stoi(name.substr(name.rfind('-') + 1));
}

bool has_policy(const json& spec) {
  return read_recovery_policy({{"spec", spec}}).present;
}

bool launcher_job_invariants::some(
    const std::function<bool(const json&)>& test) const {
  const auto& all = writer().specs;
  return std::any_of(all.begin(), all.end(), test);
}

// -- what happened ------------------------------------------------------------

void launcher_job_invariants::record_change(const std::string& type,
                                            const std::string& plural,
                                            const json& object) {
  if (plural == row().names.type.plural)
    record_job(type, object);
  else if (plural == "jobs")
    record_launcher(object);
  else if (plural == "pods") {
    if (type == "ADDED" && is_of_gone_launcher(object))
      late_pods_.insert(uid_of(object));
    record_pod(object);
  }
}

bool launcher_job_invariants::is_of_gone_launcher(const json& pod) const {
  const auto& owner = owner_of(pod);
  const auto* launcher = api().find("jobs", launcher_job_key);
  return text(at(owner, "kind")) == "Job"
         && !(launcher && uid_of(*launcher) == text(at(owner, "uid")));
}

void launcher_job_invariants::record_job(const std::string& type,
                                         const json& job) {
  if (type == "DELETED")
    return;
  auto& known = present();
  if (type == "ADDED") {
    known.jobs.insert(uid_of(job));
    failed_attempts_.clear();
    silence_.begin();
    known.over = known.launcher_was_lost = false;
    known.launcher_complete = known.launcher_failed = false;
  }
  if (known.specs.empty() || known.specs.back() != at(job, "spec"))
    known.specs.push_back(at(job, "spec"));
}

void launcher_job_invariants::record_launcher(const json& batch_job) {
  if (!ours(batch_job))
    return;
  present().launcher_was_lost = false;
  present().launcher_complete |= has_condition(batch_job, "Complete");
  present().launcher_failed |= has_condition(batch_job, "Failed");
  if (has_condition(batch_job, "Failed"))
    failed_attempts_.insert(attempt_of(batch_job));
}

void launcher_job_invariants::record_pod(const json& pod) {
  if (phase_of(pod) == "Running" && began_to_run_.insert(uid_of(pod)).second)
    silence_.sign_of_life(now());
  if (phase_of(pod) != "Failed")
    return;
  present().failed.insert(uid_of(pod));
  failed_attempts_.insert(attempt_of(pod));
}

void launcher_job_invariants::child_orphaned(const json& object) {
  for (auto& [process, known] : known_)
    known.orphaned.insert(uid_of(object));
}

void launcher_job_invariants::operator_started() {
  auto& known = present() = {};
  silence_.operator_started(now());
  const auto* j = job();
  if (!j)
    return;
  known.jobs.insert(uid_of(*j));
  known.specs.push_back(at(*j, "spec"));
  known.over = finished(*j);
  const auto* launcher = api().find("jobs", launcher_job_key);
  known.launcher_was_lost =
      (!launcher || !ours(*launcher))
      && !at(*j, "status", "replicaStatuses", "Launcher").is_null();
  if (launcher)
    record_launcher(*launcher);
  for (const auto& [key, pod] : api().all("pods")) {
    record_pod(pod);
    known.pods.insert(uid_of(pod));
  }
}

// -- writes -------------------------------------------------------------------

void launcher_job_invariants::check_creation(const std::string& plural,
                                             const std::string& key,
                                             const json& body) {
  if (writer().jobs.count(text(at(owner_of(body), "uid"))) == 0)
    report_violation("makes " + key + " for a job that does not exist");
  if (writer().over && ours(body))
    report_violation("makes " + key + " for a finished job");
  if ((plural == "pods" || plural == "jobs") && ours(body))
    check_attempt_of_creation(body);
  if (plural == "pods") {
    makers_[key] = writing_process();
    return check_worker_creation(body);
  }
  if (plural == "jobs")
    makers_[key] = writing_process();
  auto i = names_by_plural().find(plural);
  bool tells_where_to_report =
      plural == "configmaps" && name_of(body) == "job-progress"
      && some([](const json& spec) {
           return at(spec, "runPolicy", "progress", "report") == true;
         });
  if ((i == names_by_plural().end() || i->second != name_of(body))
      && !tells_where_to_report)
    report_violation("makes " + key + " of " + plural);
  if (plural == "jobs" && ours(body) && writer().launcher_was_lost
      && !some(has_policy))
    report_violation("makes the launcher's Job again, whose work may be done");
}

void launcher_job_invariants::check_worker_creation(const json& pod) {
  const auto& name = name_of(pod);
  if (label(pod, "job-role") != "worker" || name.rfind("job-worker-", 0) != 0)
    return report_violation("makes a pod with the name " + name);
  int index = worker_index_of(pod);
  if (!some([&](const json& spec) {
        bool shifted = at(spec, "runLauncherAsWorker") == true;
        return index < worker_count_of(spec) && !is_suspended(spec)
               && label(pod, "replica-index")
                      == std::to_string(index + (shifted ? 1 : 0));
      }))
    report_violation("makes " + name + ", which is not wanted so");
}

void launcher_job_invariants::check_removal(const std::string& plural,
                                            const json& object,
                                            const json& body) {
  if (!must_have_reason_to_remove(object, body, writer().jobs,
                                  writer().orphaned))
    return;
  if (plural == "pods")
    check_worker_removal(object);
  else if (plural == "jobs")
    check_launcher_removal(object);
  else
    report_violation("deletes " + name_of(object) + " of " + plural);
}

void launcher_job_invariants::check_worker_removal(const json& pod) {
  bool may_clean_up = finished(*job()) && some([](const json& spec) {
                        return policy_of(spec) != "None";
                      });
  bool unwanted = some([&](const json& spec) {
    return is_suspended(spec) || worker_index_of(pod) >= worker_count_of(spec);
  });
  bool failed = writer().failed.count(uid_of(pod)) > 0;
  bool over =
      !job()
      || attempt_of(pod) < number(at(*job(), "status", "restartAttempt"));
  // Such a job is resumed when its pods of before are gone, not before.
  bool stops =
      job() && is_true(at(*job(), "status"), "Suspended") && some(has_policy);
  if (!may_clean_up && !unwanted && !failed && !over && !stops)
    report_violation("deletes without a reason " + pod.dump());
}

/// Its attempt is over, by the status that is saved; or its pod has failed and
/// is replaced alone.
void launcher_job_invariants::check_launcher_removal(const json& launcher) {
  bool over =
      !job()
      || attempt_of(launcher) < number(at(*job(), "status", "restartAttempt"));
  bool may_replace =
      some(has_policy) && failed_attempts_.count(attempt_of(launcher)) > 0;
  if (!over && !may_replace && !finished(*job()))
    report_violation("deletes without a reason " + launcher.dump());
}

void launcher_job_invariants::check_job_removal(const json& body) {
  if (text(at(body, "preconditions", "uid")).empty())
    report_violation("deletes its job without naming its UID");
  if (!finished(*job()) || !some([](const json& spec) {
        return !at(spec, "runPolicy", "ttlSecondsAfterFinished").is_null();
      }))
    report_violation("deletes its job");
}

void launcher_job_invariants::check_status(const json& old,
                                           const json& status) {
  for (const char* end : {"Succeeded", "Failed"})
    if (is_true(at(old, "status"), end) && !is_true(status, end))
      report_violation(std::string{"takes "} + end + " back");
  std::set<std::string> types;
  for (const auto& c : at(status, "conditions"))
    if (!types.insert(text(at(c, "type"))).second)
      report_violation("has two conditions " + text(at(c, "type")));
  bool was_over = finished(old);
  if (is_true(status, "Succeeded") && !was_over && !writer().launcher_complete)
    report_violation("has succeeded before its launcher's Job was complete");
  if (is_true(status, "Failed") && !was_over)
    check_failure(status);
  check_attempts(at(old, "status"), status);
  check_stall(at(old, "status"), status);
  if ((is_true(status, "Succeeded") || is_true(status, "Failed"))
      && at(status, "completionTime").is_null())
    report_violation("is over, but does not say since when");
}

void launcher_job_invariants::check_failure(const json& status) {
  const auto& failed = condition_or_null(status, "Failed");
  const auto& reason = text(at(failed, "reason"));
  bool right = false;
  if (reason == "DeadlineExceeded")
    right = some([](const json& spec) {
      return !at(spec, "runPolicy", "activeDeadlineSeconds").is_null();
    });
  else if (reason == "MPIJobFailed")
    right = is_stalled_failure(failed)
            || (some(has_policy) && !failed_attempts_.empty());
  else if (reason == "MPIJobLauncherLost")
    right = true; // A list may have shown that it is gone.
  else
    right = writer().launcher_failed;
  if (text(at(failed, "message")).find("it is stalled: ") != std::string::npos)
    right = is_stalled_failure(failed);
  if (!right)
    report_violation("has failed without a reason: " + status.dump());
}

} // namespace troupe::simulation
