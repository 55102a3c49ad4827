#pragma once

#include "frameworks/core/model/child_view.hpp"
#include "frameworks/core/spec/written_policies.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>

namespace troupe::core {

// What a policy may have. batch/v1 limits those of Jobs in the same way.
constexpr std::size_t max_policy_rules = 20;
constexpr std::size_t max_rule_exit_codes = 255;
constexpr std::size_t max_rule_conditions = 20;
constexpr std::size_t max_rule_reasons = 20;
constexpr std::int32_t max_counted_restarts = 1'000; ///< maxRestarts.
constexpr std::chrono::hours longest_policy_period{365 * 24};
/// Steps of all patterns of a policy, as k8s::step_count counts them: about one
/// for each character. They bound the memory that a job can take, and with the
/// length of its message the time that a failed pod can take.
constexpr std::size_t max_policy_pattern_steps = 2'500;

/// Sets policy.failure, policy.success and policy_errors of a job whose
/// replicas have been read, from its `spec` and annotations. What is wrong with
/// a policy is left out of it. This is the only implementation: it serves those
/// who write a job and those who run it.
void read_policies(job& out, const nlohmann::json& spec,
                   const policy_annotations& annotations);

/// What its owner is told of a job whose policy has become wrong while the
/// operator looked after it; `known` is the job before.
std::optional<job_event> policy_error_event(const job& known, const job& now);

} // namespace troupe::core
