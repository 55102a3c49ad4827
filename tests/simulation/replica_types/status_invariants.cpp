#include "tests/simulation/replica_types/replica_type_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

std::string message_of(const json& status, const char* type) {
  for (const auto& c : at(status, "conditions"))
    if (text(at(c, "type")) == type)
      return text(at(c, "message"));
  return {};
}

std::string reason_of(const json& status, const char* type) {
  for (const auto& c : at(status, "conditions"))
    if (text(at(c, "type")) == type)
      return text(at(c, "reason"));
  return {};
}

long long failed_since(const json& status) {
  for (const auto& c : at(status, "conditions"))
    if (text(at(c, "type")) == "Failed")
      return seconds_of(at(c, "lastTransitionTime"));
  return 0;
}

int sum_of(const json& counts) {
  return number(at(counts, "active")) + number(at(counts, "succeeded"))
         + number(at(counts, "failed"));
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

} // namespace

void replica_type_invariants::check_status(const json& old,
                                           const json& status) {
  if (!some([](const manifest& m) { return !m.foreign; }))
    report_violation(
        "writes the status of a job that another controller manages");
  check_conditions(status);
  const auto& before = at(old, "status");
  check_stall(before, status);
  check_counts(before, status);
  check_completed(status);
  bool over = is_true(status, "Succeeded") || is_true(status, "Failed");
  if (over == at(status, "completionTime").is_null())
    report_violation("completionTime does not fit the conditions: "
                     + status.dump());
  if (finished(old)) {
    if (at(before, "conditions") != at(status, "conditions")
        || at(before, "completionTime") != at(status, "completionTime"))
      report_violation("changes the status of a finished job: " + before.dump()
                       + " -> " + status.dump());
    return;
  }
  if (is_true(status, "Succeeded"))
    check_success();
  if (is_true(status, "Failed"))
    check_failure(status);
}

void replica_type_invariants::check_conditions(const json& status) {
  std::set<std::string> types;
  for (const auto& c : at(status, "conditions")) {
    const auto& type = text(at(c, "type"));
    if (!types.insert(type).second)
      report_violation("twice the condition " + type);
    if (text(at(c, "reason")).rfind(rules_.row().names.type.kind, 0) != 0)
      report_violation("the reason names another kind: " + c.dump());
  }
  auto never_both = [&](const char* a, const char* b) {
    if (is_true(status, a) && is_true(status, b))
      report_violation(std::string{a} + " and " + b + " at once");
  };
  never_both("Running", "Restarting");
  never_both("Succeeded", "Failed");
  never_both("Running", "Succeeded");
  never_both("Running", "Failed");
  never_both("Running", "Suspended");
  never_both("Succeeded", "Stalled");
  never_both("Suspended", "Stalled");
  if (!types.empty() && types.count("Created") == 0)
    report_violation("the job was never created: " + status.dump());
}

int replica_type_invariants::pods_that_ran(const std::string& label) {
  auto i = writer().ran.find(label);
  return i == writer().ran.end() ? 0 : static_cast<int>(i->second.size());
}

void replica_type_invariants::check_counts(const json& before,
                                           const json& status) {
  const auto& all = at(status, "replicaStatuses");
  if (!all.is_object())
    return;
  for (const auto& [type, counts] : all.items()) {
    const auto* rule = rules_.row().find_rule_by_type(type);
    std::string label = rule ? rule->label : type;
    int sum = sum_of(counts);
    // What was counted last stays when a job ends.
    int most = sum_of(at(before, "replicaStatuses", type.c_str()));
    for (const auto& m : writer().manifests)
      most = std::max(most, m.replicas(label));
    // Those that are being stopped are counted while they run, wanted or not.
    if (is_true(status, "Suspended") || ledger_.saved().attempt > 0)
      most = std::max(most, pods_that_ran(label));
    if (sum > most)
      report_violation("counts " + std::to_string(sum) + " of " + type
                       + ", never more " + "than " + std::to_string(most)
                       + " were wanted");
  }
}

void replica_type_invariants::check_success() {
  const auto& all = writer().replicas;
  replica_list done;
  std::copy_if(all.begin(), all.end(), std::back_inserter(done),
               [this](const replica& r) {
                 return r.phase == "Succeeded"
                        && r.attempt == ledger_.saved().of(r.type);
               });
  if (!some([&](const manifest& m) { return rules_.succeeded(m, done); }))
    report_violation("has the condition Succeeded without a reason");
}

/// Of attempts that are over, too.
bool replica_type_invariants::is_failed_by_rule(const std::string& name) {
  return some([&](const manifest& m) {
    const auto& all = writer().replicas;
    return std::any_of(all.begin(), all.end(), [&](const replica& r) {
      const auto* rule =
          r.status ? m.recovery.find_rule(r.type, *r.status) : nullptr;
      return rule && rule->name == name && rule->action == "FailJob";
    });
  });
}

void replica_type_invariants::check_failure(const json& status) {
  auto message = message_of(status, "Failed");
  bool right = false;
  if (contains(reason_of(status, "Failed"), "FailedValidation")) {
    right = some([](const manifest& m) { return m.invalid; });
  } else if (contains(message, "specified deadline")) {
    auto start = seconds_of(at(status, "startTime"));
    right = some([&](const manifest& m) {
      return m.deadline && now() >= start + *m.deadline;
    });
  } else if (contains(message, "it is stalled: ")) {
    right =
        ledger_
            .check_silence(failed_since(status),
                           writing_process() != present_process(), "FailJob")
            .empty();
  } else if (contains(message, "it was restarted")) {
    auto wrong = ledger_.check_budget_message(message, failed_since(status));
    right = wrong.empty();
    if (!right)
      report_violation(wrong);
  } else if (auto by = message.find(", by rule "); by != std::string::npos) {
    right = is_failed_by_rule(message.substr(by + 10));
  } else if (contains(message, "backoff limit")) {
    right = some([&](const manifest& m) {
      return m.limit
             && true_restarts() + ledger_.saved().counted
                    >= std::max(*m.limit, 1);
    });
  } else {
    right = some([&](const manifest& m) {
      const auto& all = writer().replicas;
      return std::any_of(all.begin(), all.end(), [&](const replica& r) {
        return rules_.on_failure(m, r) == verdict::fails_job;
      });
    });
  }
  if (!right)
    report_violation("has the condition Failed without a reason: " + message);
}

} // namespace troupe::simulation
