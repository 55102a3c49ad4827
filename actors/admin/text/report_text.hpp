#pragma once

#include "k8s/json.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

// Texts for values that reports of the admin endpoint have in common.

/// The duration from the time at one path to that at another; nullopt if one of
/// them is missing.
std::optional<std::string>
human_duration_between(const nlohmann::json& from_report, k8s::key_path from,
                       const nlohmann::json& to_report, k8s::key_path to);

/// A number of seconds, without its sign, as k8s::human_duration() writes it.
std::string human_duration_text(double seconds);

/// The number at a key of a report; 0 if there is none.
double seconds_at_or_zero(const nlohmann::json& j, const char* key);

/// "1 pod", "2 pods".
std::string pluralize(std::int64_t n, const std::string& noun);

/// "once", "2 times".
std::string once_or_n_times(std::int64_t n);

} // namespace troupe::actors
