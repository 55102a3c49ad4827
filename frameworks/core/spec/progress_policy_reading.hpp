#pragma once

#include "frameworks/core/model/job.hpp"
#include "frameworks/core/spec/checked_fields.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>

namespace troupe::core {

inline constexpr std::size_t max_log_rules = 8;
/// A report has no more metrics, either.
inline constexpr std::size_t max_rule_groups = 16;
/// Steps of all patterns of log rules, as k8s::step_count counts them. They
/// bound the memory and the time that a log can take.
inline constexpr std::size_t max_log_pattern_steps = 1'000;
/// Enough for a pattern to remember what it has seen of usual lines.
inline constexpr std::size_t least_log_pattern_share = 300;

/// Reads a written policy of a job whose replicas are set; what is wrong with
/// it is told, and left out.
progress_policy read_progress_policy(const nlohmann::json& value, const job& of,
                                     const field_path& at,
                                     field_errors& errors);

} // namespace troupe::core
