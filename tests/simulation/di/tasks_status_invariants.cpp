// The status of a DIJob of tasks.
#include "tests/simulation/di/tasks_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

/// What follows a phase, but for Failed, which an invalid spec leads to. Only
/// Restarting and Rescheduling must be saved before they are left.
const std::map<std::string, std::vector<std::string>> next_phases{
    {"", {"Pending"}},
    {"Pending", {"Starting"}},
    {"Starting",
     {"Running", "Restarting", "Rescheduling", "Succeeded", "Failed"}},
    {"Running", {"Restarting", "Rescheduling", "Succeeded", "Failed"}},
    {"Restarting", {"Starting"}},
    {"Rescheduling", {"Starting", "Pending"}}};

/// The phases that can be saved after this one.
std::set<std::string> phases_after(const std::string& from) {
  std::set<std::string> result;
  std::vector<std::string> open{from};
  while (!open.empty()) {
    auto i = next_phases.find(open.back());
    open.pop_back();
    if (i == next_phases.end())
      continue;
    for (const auto& next : i->second)
      if (result.insert(next).second && next != "Restarting"
          && next != "Rescheduling")
        open.push_back(next);
  }
  return result;
}

bool is_final(const std::string& phase) {
  return phase == "Succeeded" || phase == "Failed";
}

} // namespace

void tasks_invariants::check_status(const json& old, const json& status) {
  const auto& before = at(old, "status");
  status_writer_ = writing_process();
  if (finished(old)) {
    for (const char* field : {"phase", "conditions", "restarts", "reschedules",
                              "completionTimestamp"})
      if (at(before, field) != at(status, field))
        report_violation("changes the status of a finished job: "
                         + before.dump() + " -> " + status.dump());
    return;
  }
  check_phase(before, status);
  check_counters(before, status);
  check_conditions(status);
  const auto& phase = text(at(status, "phase"));
  if (is_final(phase) == at(status, "completionTimestamp").is_null())
    report_violation("completionTimestamp does not fit the phase: "
                     + status.dump());
  if (phase == "Succeeded")
    check_success();
  if (phase == "Failed")
    check_failure(status);
}

void tasks_invariants::check_phase(const json& before, const json& status) {
  const auto& from = text(at(before, "phase"));
  const auto& to = text(at(status, "phase"));
  bool failed_validation =
      to == "Failed" && some([](const task_manifest& m) { return m.invalid; });
  if (from != to && !failed_validation && phases_after(from).count(to) == 0)
    report_violation("goes from " + from + " to " + to);
}

/// Each entry into Restarting or Rescheduling is counted, once. The spec may
/// get invalid before it is saved.
void tasks_invariants::check_counters(const json& before, const json& status) {
  const std::pair<const char*, const char*> counters[] = {
      {"restarts", "Restarting"}, {"reschedules", "Rescheduling"}};
  for (const auto& [counter, phase] : counters) {
    int then = number(at(before, counter));
    int now = number(at(status, counter));
    bool enters = text(at(status, "phase")) == phase;
    bool entered = enters || text(at(status, "phase")) == "Failed";
    bool was_in = text(at(before, "phase")) == phase;
    if (now != then && !(now == then + 1 && entered))
      report_violation("counts " + std::string{counter} + " without one: "
                       + before.dump() + " -> " + status.dump());
    if (now == then && enters && !was_in)
      report_violation("does not count one of " + std::string{counter});
  }
  int restarts = number(at(status, "restarts"));
  if (restarts == number(at(before, "restarts")))
    return;
  if (!knows_failed_pod())
    report_violation("restarts without a failed pod");
  if (restarts > static_cast<int>(failures_.size()))
    report_violation("counts " + std::to_string(restarts) + " restarts after "
                     + std::to_string(failures_.size()) + " failures");
  if (!some([&](const task_manifest& m) {
        return !m.limit || restarts <= *m.limit;
      }))
    report_violation("restarts beyond backoffLimit");
}

bool tasks_invariants::knows_failed_pod() const {
  const auto& failed = writer().failed;
  return std::any_of(failed.begin(), failed.end(), [this](const auto& entry) {
    return replaced_.count(entry.first) == 0
           && has_ended(entry.first, pod_end::failed);
  });
}

void tasks_invariants::check_conditions(const json& status) {
  std::set<std::string> seen;
  const auto& phase = text(at(status, "phase"));
  for (const auto& c : at(status, "conditions")) {
    const auto& type = text(at(c, "type"));
    if (!seen.insert(type).second)
      report_violation("twice the condition " + type);
    if (text(at(c, "reason")) != "Job" + type)
      report_violation("the condition has another reason: " + c.dump());
    if ((text(at(c, "status")) == "True") != (type == phase))
      report_violation("the conditions are not those of " + phase + ": "
                       + status.dump());
  }
  if (seen.count(phase) == 0)
    report_violation("has no condition " + phase);
}

void tasks_invariants::check_success() {
  if (!writer().succeeded)
    report_violation("succeeds without a pod that has");
  for (const auto& uid : writer().running)
    report_violation("succeeds, though " + uid + " has not");
}

void tasks_invariants::check_failure(const json& status) {
  const auto& message = text(at(*condition_of(status, "Failed"), "message"));
  if (message.find("exceed backoff limit") == std::string::npos) {
    if (!some([](const task_manifest& m) { return m.invalid; }))
      report_violation("fails without a reason: " + message);
    return;
  }
  int restarts = number(at(status, "restarts"));
  if (!some([&](const task_manifest& m) {
        return m.limit && restarts >= *m.limit;
      }))
    report_violation("fails after " + std::to_string(restarts) + " restarts");
  if (!knows_failed_pod())
    report_violation("fails without a failed pod");
}

} // namespace troupe::simulation
