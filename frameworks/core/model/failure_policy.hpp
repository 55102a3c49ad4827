#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s {
class text_pattern;
} // namespace troupe::k8s

namespace troupe::core {

/// What is started again when a replica has failed.
enum class restart_scope : std::uint8_t { pod, replica_type, job };

/// What a rule says about the failures that it matches. A later one is stronger
/// if several pods have failed.
enum class failure_verdict : std::uint8_t {
  ignore, ///< The pod is replaced, and nothing is counted.
  restart_pod,
  restart_replica_type,
  restart_job,
  fail_job,
};

/// As manifests spell it: "RestartJob".
const char* to_string(failure_verdict v);
/// "Pod", "ReplicaType", "Job".
const char* to_string(restart_scope s);

/// onExitCodes: matches a container that ended with another code than 0.
struct exit_code_matcher {
  std::string container; ///< "": any, init containers too.
  bool in = true;        ///< Operator In; else NotIn.
  std::vector<std::int32_t> values;
};

/// An entry of onPodConditions.
struct pod_condition_matcher {
  std::string type;
  std::string status = "True";
};

/// One rule. All matchers that it has must match.
struct failure_rule {
  std::string name; ///< "" if it has none.
  failure_verdict action = failure_verdict::ignore;
  std::optional<exit_code_matcher> exit_codes;
  /// One of them must match. Empty: no such matcher, as for the lists below.
  std::vector<pod_condition_matcher> conditions;
  std::vector<std::string> reasons;
  std::shared_ptr<const k8s::text_pattern> message; ///< nullptr: none.
  std::vector<std::string> types; ///< As the spec spells them: "Worker".
};

/// spec.runPolicy.failurePolicy, or the annotation.
struct failure_policy {
  restart_scope scope = restart_scope::pod;
  std::optional<std::int32_t> max_restarts;
  std::optional<std::chrono::seconds> window;
  std::string window_text; ///< As it is written: "6h".
  std::optional<std::chrono::seconds> lost_node_period;
  std::vector<failure_rule> rules;
  /// The job is restarted when it is silent, as its progress policy says, which
  /// may have no other policy on failures.
  bool restarts_stalled = false;

  /// Whether more than one pod may be restarted because of one. Pods of such
  /// jobs say of which attempt they are.
  bool may_restart_beyond_pod() const;
  /// Whether pods must not be restarted by the kubelet, so that each failure
  /// is seen.
  bool must_see_failures() const {
    return !rules.empty() || may_restart_beyond_pod();
  }
};

/// spec.runPolicy.successPolicy, or the annotation.
struct success_policy {
  bool any =
      false; ///< Operator Any: one replica of one of the types is enough.
  std::vector<std::string> types; ///< Empty: the kind's own rule.
};

} // namespace troupe::core
