#pragma once

#include "tests/simulation/json_access.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::simulation {

struct replica;

/// What follows from a pod that has failed.
enum class verdict {
  none,               ///< Nothing of what is below.
  replaced,           ///< Alone.
  replaced_uncounted, ///< Alone; no limit forbids that.
  restarts,           ///< With its replica type, or with the whole job.
  fails_job,          ///< By its restart policy.
  fails_job_by_rule,
};

/// A rule of a failure policy. All matchers that it has must match.
struct failure_matcher {
  std::string name; ///< Or its place: "rules[0]".
  std::string action;
  std::set<std::string> types; ///< Labels; empty: all.
  json codes;                  ///< onExitCodes, or null.
  json conditions;             ///< onPodConditions, or null.
  json reasons;                ///< onReasons, or null.
  std::string message;         ///< Part of a message; "": any.

  /// `pod_status`: of a pod that is no longer what it should be.
  bool matches(const std::string& type, const json& pod_status) const;
};

/// The failure policy and the success policy of a job, by a reader that shares
/// nothing with the core.
struct recovery_policy {
  bool present = false; ///< There is a failure policy.
  std::string scope = "Pod";
  std::optional<int> max_restarts;
  std::optional<int> window; ///< Seconds.
  std::vector<failure_matcher> rules;
  /// Silence for at least so long is a stall, seconds; nullopt: none is.
  std::optional<int> least_silence;
  std::string on_stalled = "Report";
  /// Success.
  bool has_own_success = false;
  bool any_succeeds = false;
  std::set<std::string> success_types; ///< Labels; empty: the kind's leaders.
  bool twice = false;                  ///< As a field and as an annotation.

  bool restarts_more_than_pods() const;
  bool must_see_failures() const {
    return !rules.empty() || restarts_more_than_pods();
  }
  const failure_matcher* find_rule(const std::string& type,
                                   const json& pod_status) const;
};

recovery_policy read_recovery_policy(const json& job);
/// The texts that it is read from.
json policies_of(const json& job);

/// What a job's status, or the annotation that stands for a part of it, says of
/// attempts. Types are labels.
struct saved_attempts {
  int attempt = 0;
  std::map<std::string, int> of_types; ///< Those that are not of the latest.
  int counted = 0;
  std::vector<long long> times; ///< Of the restarts in the window.
  long long began = 0;          ///< The latest attempt.
  int early_ends = 0;
  std::string pod; ///< That caused it.
  std::string reason;
  std::set<std::string> restarted; ///< Empty: all types.
  std::map<std::string, std::set<int>> completed;

  int of(const std::string& type) const {
    auto i = of_types.find(type);
    return i == of_types.end() ? attempt : i->second;
  }
  bool is_completed(const std::string& type, int index) const {
    auto i = completed.find(type);
    return i != completed.end() && i->second.count(index) > 0;
  }
};

saved_attempts read_attempts(const json& job);
/// What the status alone says.
saved_attempts read_attempts_of_status(const json& status);

std::string lower(std::string s);

} // namespace troupe::simulation
