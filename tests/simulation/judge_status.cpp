#include "tests/simulation/judge.hpp"

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

int sum_of(const json& counts) {
  return number(at(counts, "active")) + number(at(counts, "succeeded"))
         + number(at(counts, "failed"));
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

} // namespace

void judge::judge_status(const json& old, const json& status) {
  if (!std::any_of(manifests_.begin(), manifests_.end(),
                   [](const manifest& m) { return !m.foreign; }))
    complain("writes the status of a job that somebody else looks after");
  judge_conditions(status);
  const auto& before = at(old, "status");
  judge_counts(before, status);
  bool over = is_true(status, "Succeeded") || is_true(status, "Failed");
  if (over == at(status, "completionTime").is_null())
    complain("a completionTime where none is due, or none: " + status.dump());
  if (finished(old)) {
    if (at(before, "conditions") != at(status, "conditions")
        || at(before, "completionTime") != at(status, "completionTime"))
      complain("rewrites the end: " + before.dump() + " -> " + status.dump());
    return;
  }
  if (is_true(status, "Succeeded"))
    judge_success();
  if (is_true(status, "Failed"))
    judge_failure(status);
}

void judge::judge_conditions(const json& status) {
  std::set<std::string> types;
  for (const auto& c : at(status, "conditions")) {
    const auto& type = text(at(c, "type"));
    if (!types.insert(type).second)
      complain("twice the condition " + type);
    if (text(at(c, "reason")).rfind(book_.row().type.kind, 0) != 0)
      complain("a reason of another kind: " + c.dump());
  }
  auto never_both = [&](const char* a, const char* b) {
    if (is_true(status, a) && is_true(status, b))
      complain(std::string{a} + " and " + b + " at once");
  };
  never_both("Running", "Restarting");
  never_both("Succeeded", "Failed");
  never_both("Running", "Succeeded");
  never_both("Running", "Failed");
  never_both("Running", "Suspended");
  if (!types.empty() && types.count("Created") == 0)
    complain("the job was never created: " + status.dump());
}

void judge::judge_counts(const json& before, const json& status) {
  const auto& all = at(status, "replicaStatuses");
  if (!all.is_object())
    return;
  for (const auto& [type, counts] : all.items()) {
    const auto* rule = book_.row().find_type(type);
    std::string label = rule ? rule->label : type;
    int sum = sum_of(counts);
    // What was counted last stays when a job ends.
    int most = sum_of(at(before, "replicaStatuses", type.c_str()));
    for (const auto& m : manifests_)
      most = std::max(most, m.replicas(label));
    if (sum > most)
      complain("counts " + std::to_string(sum) + " of " + type + ", never more "
               + "than " + std::to_string(most) + " were wanted");
  }
}

void judge::judge_success() {
  cast done;
  std::copy_if(replicas_.begin(), replicas_.end(), std::back_inserter(done),
               [](const replica& r) { return r.phase == "Succeeded"; });
  for (const auto& m : manifests_)
    if (book_.succeeded(m, done))
      return;
  complain("says it succeeded, which it has not");
}

void judge::judge_failure(const json& status) {
  auto message = message_of(status, "Failed");
  auto some = [this](auto test) {
    return std::any_of(manifests_.begin(), manifests_.end(), test);
  };
  bool right = false;
  if (contains(reason_of(status, "Failed"), "FailedValidation")) {
    right = some([](const manifest& m) { return m.broken; });
  } else if (contains(message, "specified deadline")) {
    auto start = seconds_of(at(status, "startTime"));
    right = some([&](const manifest& m) {
      return m.deadline && now() >= start + *m.deadline;
    });
  } else if (contains(message, "backoff limit")) {
    right = some([&](const manifest& m) {
      return m.limit && true_restarts() >= std::max(*m.limit, 1);
    });
  } else {
    right = some([&](const manifest& m) {
      return std::any_of(replicas_.begin(), replicas_.end(),
                         [&](const replica& r) { return book_.fatal(m, r); });
    });
  }
  if (!right)
    complain("says it failed for no reason: " + message);
}

} // namespace troupe::simulation
