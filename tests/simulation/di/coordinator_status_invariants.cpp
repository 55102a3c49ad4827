// The status of a DIJob with a coordinator, and what is left in the end.
#include "tests/simulation/di/coordinator_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

constexpr const char* counted_types[] = {"Coordinator", "Collector", "Learner",
                                         "Aggregator"};

std::string role_of_type(std::string type) {
  type[0] = static_cast<char>(std::tolower(type[0]));
  return type;
}

/// How far a job has come: it never goes back.
int rank_of(const std::string& phase) {
  return phase.empty()        ? 0
         : phase == "Created" ? 1
         : phase == "Running" ? 2
                              : 3;
}

bool is_valid(const json& spec) {
  const auto& containers =
      at(spec, "coordinator", "template", "spec", "containers");
  return containers.is_array() && !containers.empty();
}

} // namespace

void coordinator_invariants::check_status(const json& old, const json& status) {
  const auto& before = at(old, "status");
  if (finished(old)) {
    if (at(before, "conditions") != at(status, "conditions")
        || at(before, "phase") != at(status, "phase"))
      report_violation("changes the status of a finished job: " + before.dump()
                       + " -> " + status.dump());
    return;
  }
  check_phase(text(at(before, "phase")), text(at(status, "phase")));
  check_conditions(status);
  check_counts(status);
  if (at(before, "phase") != at(status, "phase"))
    check_reason_of_phase(status);
}

void coordinator_invariants::check_phase(const std::string& before,
                                         const std::string& after) {
  for (const char* known : {"Created", "Running", "Succeeded", "Failed"})
    if (after == known && rank_of(before) <= rank_of(after))
      return;
  report_violation("goes from " + before + " to " + after);
}

void coordinator_invariants::check_conditions(const json& status) {
  std::set<std::string> seen;
  for (const auto& c : at(status, "conditions")) {
    const auto& type = text(at(c, "type"));
    if (!seen.insert(type).second)
      report_violation("twice the condition " + type);
    if (text(at(c, "reason")).rfind("DIJob" + type, 0) != 0)
      report_violation("the condition has another reason: " + c.dump());
  }
  const auto& phase = text(at(status, "phase"));
  if (!is_true(status, "Created") || !is_true(status, phase.c_str()))
    report_violation("the conditions are not those of " + phase + ": "
                     + status.dump());
  if (finished({{"status", status}}) && is_true(status, "Running"))
    report_violation("is over, and runs: " + status.dump());
}

void coordinator_invariants::check_counts(const json& status) {
  for (const auto* type : counted_types) {
    const auto& counts = at(status, "replicaStatus", type);
    if (!counts.is_object()) {
      report_violation(std::string{"counts no "} + type);
      continue;
    }
    int most = 1;
    if (type != std::string{"Coordinator"})
      most = pods_made_[job_uid()][role_of_type(type)];
    int sum = 0;
    for (const auto& [what, count] : counts.items())
      sum += number(count);
    if (sum > most)
      report_violation("counts " + std::to_string(sum) + " of " + type + ", of "
                       + std::to_string(most) + " that there ever were");
  }
}

/// What ends the job, or makes it run, must have been.
void coordinator_invariants::check_reason_of_phase(const json& status) {
  const auto& phase = text(at(status, "phase"));
  if (phase == "Created")
    return;
  const auto* condition = condition_of(status, "Failed");
  if (condition && text(at(*condition, "reason")) == "DIJobFailedValidation") {
    const auto& specs = writer().specs;
    if (std::all_of(specs.begin(), specs.end(), is_valid))
      report_violation("fails a valid job: " + status.dump());
    return;
  }
  auto states = writer().coordinators.find(job_uid());
  if (states == writer().coordinators.end() || states->second.count(phase) == 0)
    report_violation("is " + phase + " without such a coordinator");
}

// -- the end state ------------------------------------------------------------

void coordinator_invariants::check_end_state() {
  const auto* j = job();
  if (!j)
    return;
  ledger_.check_end_state(job_uid(), present_process());
  if (finished(*j))
    check_finished_at_end(*j);
  else if (!is_valid(at(*j, "spec")))
    report_violation("an invalid job is not failed");
  else
    check_unfinished_at_end(*j);
}

void coordinator_invariants::check_finished_at_end(const json& job) {
  for (const auto& [key, service] : api().all("services"))
    if (ours(service))
      report_violation("the service " + key + " of a finished job is left");
  auto policy = clean_pod_policy_of(at(job, "spec"));
  for (const auto& [key, pod] : api().all("pods")) {
    if (!ours(pod))
      continue;
    const auto& phase = phase_of(pod);
    bool goes_on =
        (phase == "Running" || phase == "Pending") && exit_code_of(pod) < 0;
    if (policy == "All" || (policy == "Running" && goes_on))
      report_violation(key + " of a finished job is left under " + policy);
  }
  if (is_true(at(job, "status"), "Succeeded"))
    for (const auto* type : counted_types)
      if (number(at(job, "status", "replicaStatus", type, "active")) > 0)
        report_violation("has succeeded, and counts an active "
                         + std::string{type});
}

void coordinator_invariants::check_unfinished_at_end(const json& job) {
  int coordinators = 0;
  std::string state;
  for (const auto& [key, pod] : api().all("pods")) {
    if (!ours(pod))
      continue;
    if (!api().find("services", key))
      report_violation("the pod " + key + " has no service");
    if (label_of(pod, "replica-type") != "coordinator")
      continue;
    ++coordinators;
    state = state_of_coordinator(pod);
  }
  for (const auto& [key, service] : api().all("services"))
    if (ours(service) && !api().find("pods", key))
      report_violation("the service " + key + " has no pod");
  if (coordinators != 1)
    report_violation("has " + std::to_string(coordinators) + " coordinators");
  if (!state.empty() && text(at(job, "status", "phase")) != state)
    report_violation("is " + text(at(job, "status", "phase"))
                     + ", and its coordinator " + state);
  check_counts_at_end(job);
}

void coordinator_invariants::check_counts_at_end(const json& job) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const auto& [key, pod] : api().all("pods"))
    if (ours(pod))
      ++counts[label_of(pod, "replica-type")][phase_of(pod)];
  for (const auto* type : counted_types) {
    auto& is = counts[role_of_type(type)];
    const auto& counted = at(job, "status", "replicaStatus", type);
    if (number(at(counted, "active")) != is["Running"]
        || number(at(counted, "succeeded")) != is["Succeeded"]
        || number(at(counted, "failed")) != is["Failed"])
      report_violation(std::string{"miscounts "} + type + ": "
                       + counted.dump());
  }
}

void coordinator_invariants::check_last_status(const core::job_response& r,
                                               int expected) {
  if (r.status != expected)
    report_violation("answers " + std::to_string(r.status)
                     + " to one of the last requests, instead of "
                     + std::to_string(expected) + ": " + r.message);
}

void coordinator_invariants::check_last_list(const core::job_response& r) {
  const auto* pod = api().find("pods", "ns/job-coordinator");
  bool there = job() && pod && ours(*pod) && !deleting(*pod);
  if (r.status != (there ? 200 : 404))
    return report_violation("answers " + std::to_string(r.status)
                            + " to the last list: " + r.message);
  if (!there)
    return;
  std::set<std::string> expected;
  for (const auto& [key, p] : api().all("pods"))
    for (const char* role : {"collector", "learner", "aggregator"})
      if (ours(p) && !deleting(p) && label_of(p, "replica-type") == role)
        expected.insert(name_of(p));
  auto data = json::parse(r.data);
  std::set<std::string> listed;
  for (const char* side : {"collectors", "learners"})
    for (const auto& url : at(data, side))
      listed.insert(text(url).substr(0, text(url).find('.')));
  if (listed != expected)
    report_violation("the last list is not what is there: " + r.data);
}

} // namespace troupe::simulation
