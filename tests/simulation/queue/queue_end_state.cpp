#include "tests/simulation/queue/queue_invariants.hpp"
#include "tests/simulation/queue/simulated_kueue.hpp"

#include <algorithm>

// What has to be true when faults and users have stopped.

namespace troupe::simulation {

bool queue_invariants::may_wait() const {
  const auto* j = job();
  if (!j)
    return false;
  for (const auto& [key, w] : api().all(workloads_plural)) {
    if (job_of(w) != uid_of(*j))
      continue;
    if (at(w, "spec", "active") == false
        || text(at(w, "spec", "queueName")) == "nope"
        || (holds(w, "Finished")
            && text(at(workload_condition(w, "Finished"), "reason"))
                   == "FailedToStart"))
      return true;
  }
  return false;
}

bool queue_invariants::waits() const {
  const auto* j = job();
  return j && !finished(*j) && at(*j, "spec", "runPolicy", "suspend") == true;
}

/// A job of types that do not end it, as of parameter servers alone.
bool queue_invariants::has_done_all(const json& job) const {
  int wanted = 0;
  for (const auto& type : at(job, "spec", row().names.spec_field))
    wanted += number(at(type, "replicas"), 1);
  for (const auto& [key, pod] : api().all("pods"))
    if (ours(pod) && !deleting(pod)
        && (phase_of(pod) == "Succeeded" || phase_of(pod) == "Failed"))
      --wanted;
  return wanted == 0;
}

void queue_invariants::check_end_state() {
  const auto* j = job();
  std::string uid = j ? uid_of(*j) : "";
  for (const auto& [key, w] : api().all(workloads_plural)) {
    if (job_of(w) != uid)
      report_violation("the Workload of a job that is gone is left: "
                       + w.dump());
    else if (finished(*j) && (is_guarded(w) || !holds(w, "Finished")))
      report_violation("a Workload keeps quota of a job that has ended: "
                       + w.dump());
    else if (deleting(w))
      report_violation("a deleted Workload stays: " + w.dump());
    else if (!finished(*j) && holds(w, "Evicted") && holds(w, "QuotaReserved"))
      report_violation("an evicted Workload keeps quota: " + w.dump());
  }
  if (!j || finished(*j))
    return;
  if (deleting(*j))
    report_violation("a deleted job stays");
  else if (has_done_all(*j))
    return;
  else if (!may_wait())
    report_violation("has neither ended, nor to wait: " + j->dump() + " with "
                     + json(api().all(workloads_plural)).dump());
  else if (!waits() || !is_true(at(*j, "status"), "Suspended"))
    report_violation("waits, and is not suspended: " + j->dump());
  else if (live_pods(uid, "") > 0)
    report_violation("waits, and has live pods");
}

} // namespace troupe::simulation
