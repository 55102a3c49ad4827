// What holds for the attempts of an MPIJob of v2beta1.
#include "tests/simulation/mpi_ssh/launcher_job_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

int count_at(const json& status, const char* field) {
  return number(at(status, field));
}

} // namespace

/// Whether it made the pod, or the pod's Job, or found it when it began. What
/// another process made since then may have come too late.
bool launcher_job_invariants::is_known_to_writer(const std::string& key,
                                                 const json& pod) const {
  if (late_pods_.count(uid_of(pod)) > 0)
    return false;
  if (writer().pods.count(uid_of(pod)) > 0)
    return true;
  auto i =
      makers_.find(label(pod, "job-role") == "worker" ? key : launcher_job_key);
  return i != makers_.end() && i->second == writing_process();
}

/// No pod of an older attempt may be beside it.
void launcher_job_invariants::check_attempt_of_creation(const json& body) {
  for (const auto& [key, pod] : api().all("pods"))
    if (label(pod, "job-name") == "job" && !owner_of(pod).is_null()
        && attempt_of(pod) < attempt_of(body) && is_known_to_writer(key, pod))
      report_violation("makes " + name_of(body) + " of attempt "
                       + std::to_string(attempt_of(body)) + " beside "
                       + name_of(pod) + " of attempt "
                       + std::to_string(attempt_of(pod)));
  if (job()
      && attempt_of(body) > count_at(at(*job(), "status"), "restartAttempt"))
    report_violation("makes " + name_of(body)
                     + " of an attempt that is not saved");
}

/// Each restart is one step, and is counted once, if at all.
void launcher_job_invariants::check_attempts(const json& old,
                                             const json& status) {
  int step =
      count_at(status, "restartAttempt") - count_at(old, "restartAttempt");
  int counted =
      count_at(status, "countedRestarts") - count_at(old, "countedRestarts");
  if (step < 0 || step > 1 || counted < 0 || counted > step)
    report_violation("counts its restarts wrongly: " + status.dump());
  int attempt = count_at(old, "restartAttempt");
  const auto& last = at(status, "lastRestart");
  bool stalled = step == 1 && text(at(last, "reason")) == "Stalled"
                 && text(at(last, "pod")).empty();
  if (stalled && counted == 0)
    report_violation("restarts a silent job uncounted: " + status.dump());
  if (stalled && !may_be_stalled(seconds_of(at(last, "time")), "RestartJob"))
    report_violation("restarts a job that was not silent: " + status.dump());
  if (counted > 0 && !stalled && failed_attempts_.count(attempt) == 0)
    report_violation("counts a failure that was none: " + status.dump());
  if (step == 1 && counted == 0
      && text(at(status, "lastRestart", "reason")) == "Error")
    report_violation("does not count a failure: " + status.dump());
  if (step > 0 && !some(has_policy))
    report_violation("is restarted without a policy");
  bool within = some([&](const json& spec) {
    auto most = policy_on_silence(spec).max_restarts;
    return !most || count_at(status, "countedRestarts") <= *most;
  });
  if (counted > 0 && !within)
    report_violation("is restarted too often: " + status.dump());
}

void launcher_job_invariants::check_attempts_at_end(const json& status) {
  for (const auto& [key, pod] : api().all("pods"))
    if (label(pod, "job-name") == "job" && phase_of(pod) == "Running"
        && attempt_of(pod) != count_at(status, "restartAttempt"))
      report_violation(key + " is not of the latest attempt");
}

// -- silence ------------------------------------------------------------------

recovery_policy policy_on_silence(const json& spec) {
  return read_recovery_policy({{"spec", spec}});
}

bool launcher_job_invariants::may_be_stalled(long long then,
                                             const std::string& action) const {
  auto silence =
      silence_.silence_at(then, writing_process() != present_process());
  return some([&](const json& spec) {
    return is_stall(policy_on_silence(spec), silence, action);
  });
}

void launcher_job_invariants::check_stall(const json& before,
                                          const json& status) {
  if (!is_true(status, "Stalled") || is_true(before, "Stalled"))
    return;
  for (const auto& c : at(status, "conditions")) {
    auto then = seconds_of(at(c, "lastTransitionTime"));
    if (text(at(c, "type")) == "Stalled" && !may_be_stalled(then, ""))
      report_violation(describe_early_stall(
          silence_.silence_at(then, writing_process() != present_process())));
  }
}

/// It fails for that, or because it was restarted too often for that.
bool launcher_job_invariants::is_stalled_failure(const json& failed) const {
  auto then = seconds_of(at(failed, "lastTransitionTime"));
  bool says_so =
      text(at(failed, "message")).find("it is stalled: ") != std::string::npos;
  return may_be_stalled(then, says_so ? "FailJob" : "RestartJob");
}

/// Nobody reports any more: what runs is silent, and that was found.
void launcher_job_invariants::check_silence_at_end(const json& spec,
                                                   const json& status) {
  auto policy = policy_on_silence(spec);
  if (!policy.least_silence || at(spec, "runPolicy", "suspend") == true)
    return;
  int running = 0;
  for (const auto& [key, pod] : api().all("pods"))
    running += label(pod, "job-name") == "job" && !owner_of(pod).is_null()
               && phase_of(pod) == "Running";
  if (running != worker_count_of(spec) + 1)
    return;
  if (policy.on_stalled != "Report")
    report_violation("is silent, and nothing follows");
  else if (!is_true(status, "Stalled"))
    report_violation("is silent, and nobody is told");
}

} // namespace troupe::simulation
