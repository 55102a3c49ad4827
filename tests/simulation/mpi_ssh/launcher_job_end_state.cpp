// What is left of an MPIJob of v2beta1 when nothing happens any more.
#include "tests/simulation/mpi_ssh/launcher_job_invariants.hpp"

#include <sstream>

namespace troupe::simulation {

namespace {

bool goes_on(const json& pod) {
  const auto& phase = phase_of(pod);
  return phase == "Running" || phase == "Pending";
}

/// "0-2,5".
bool is_in_ranges(const std::string& ranges, int index) {
  std::istringstream in{ranges};
  for (std::string one; std::getline(in, one, ',');) {
    auto dash = one.find('-');
    int first = std::stoi(one);
    int last =
        dash == std::string::npos ? first : std::stoi(one.substr(dash + 1));
    if (first <= index && index <= last)
      return true;
  }
  return false;
}

bool waits_for_workers(const json& spec) {
  return text(at(spec, "launcherCreationPolicy")) == "WaitForWorkersReady";
}

} // namespace

void launcher_job_invariants::check_end_state() {
  const auto* j = job();
  if (!j)
    return;
  const auto& spec = at(*j, "spec");
  const auto& status = at(*j, "status");
  if (finished(*j))
    return check_finished_at_end(spec);
  if (at(spec, "runPolicy", "suspend") == true)
    check_suspended_at_end(status);
  else
    check_workers_at_end(spec);
  check_launcher_at_end(spec, status);
  check_counts_at_end(spec, status);
  check_attempts_at_end(status);
  check_silence_at_end(spec, status);
  for (auto [plural, key] : {std::pair{"services", "ns/job"},
                             {"configmaps", "ns/job-config"},
                             {"secrets", "ns/job-ssh"}}) {
    const auto* object = api().find(plural, key);
    if (!object || !ours(*object))
      report_violation(std::string{"has no "} + key + " of " + plural);
  }
}

void launcher_job_invariants::check_finished_at_end(const json& spec) {
  const auto& policy = text(at(spec, "runPolicy", "cleanPodPolicy"));
  for (const auto& [key, pod] : api().all("pods"))
    if (ours(pod) && (policy == "All" || (policy == "Running" && goes_on(pod))))
      report_violation(key + " of a finished job is left under " + policy);
  if (!at(spec, "runPolicy", "ttlSecondsAfterFinished").is_null())
    report_violation("is left after its time to live");
}

void launcher_job_invariants::check_suspended_at_end(const json& status) {
  for (const auto& [key, pod] : api().all("pods"))
    if (goes_on(pod) && label(pod, "job-name") == "job")
      report_violation(key + " of a suspended job is left");
  if (!is_true(status, "Suspended"))
    report_violation("does not say that it is suspended");
}

/// Workers that have succeeded, and whose pods are gone.
int launcher_job_invariants::done_without_pod(const json& job) const {
  int result = 0;
  for (int i = 0; i < worker_count_of(at(job, "spec")); ++i)
    if (!api().find("pods", "ns/job-worker-" + std::to_string(i))
        && is_in_ranges(text(at(job, "status", "replicaStatuses", "Worker",
                                "completedIndexes")),
                        i))
      ++result;
  return result;
}

void launcher_job_invariants::check_workers_at_end(const json& spec) {
  int found = 0;
  for (const auto& [key, pod] : api().all("pods")) {
    if (!ours(pod))
      continue;
    ++found;
    if (worker_index_of(pod) >= worker_count_of(spec))
      report_violation(key + " is not wanted");
  }
  found += done_without_pod(*job());
  if (found != worker_count_of(spec))
    report_violation("has " + std::to_string(found) + " workers instead of "
                     + std::to_string(worker_count_of(spec)));
}

void launcher_job_invariants::check_launcher_at_end(const json& spec,
                                                    const json& status) {
  bool all_ready = true;
  bool all_run = true;
  for (const auto& [key, pod] : api().all("pods"))
    if (ours(pod)) {
      all_ready &= has_ready_condition(pod) && goes_on(pod);
      all_run &= phase_of(pod) == "Running";
    }
  bool suspended = at(spec, "runPolicy", "suspend") == true;
  const auto* launcher = api().find("jobs", launcher_job_key);
  if (!launcher || !ours(*launcher)) {
    if (suspended || all_ready || !waits_for_workers(spec))
      report_violation("has no Job for its launcher");
    return;
  }
  bool sleeps = at(*launcher, "spec", "suspend") == true;
  if (suspended != sleeps && !(sleeps && waits_for_workers(spec) && !all_ready))
    report_violation(std::string{"its launcher is "}
                     + (sleeps ? "suspended" : "not suspended"));
  if (has_job_ended(*launcher))
    report_violation("its launcher has ended, the job has not");
  bool runs = false;
  for (const auto& [key, pod] : api().all("pods"))
    runs |= text(at(owner_of(pod), "uid")) == uid_of(*launcher)
            && phase_of(pod) == "Running";
  if (runs && all_run && !suspended && !is_true(status, "Running"))
    report_violation("does not say that it is running");
}

void launcher_job_invariants::check_counts_at_end(const json& spec,
                                                  const json& status) {
  std::map<std::string, int> found;
  for (const auto& [key, pod] : api().all("pods"))
    if (ours(pod) && worker_index_of(pod) < worker_count_of(spec))
      ++found[phase_of(pod)];
  found["Succeeded"] += done_without_pod(*job());
  const auto& counts = at(status, "replicaStatuses", "Worker");
  bool suspended = at(spec, "runPolicy", "suspend") == true;
  if (number(at(counts, "active")) != found["Running"]
      || (!suspended
          && (number(at(counts, "succeeded")) != found["Succeeded"]
              || number(at(counts, "failed")) != found["Failed"])))
    report_violation("counts its workers otherwise: " + status.dump());
}

} // namespace troupe::simulation
