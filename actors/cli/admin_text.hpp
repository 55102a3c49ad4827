#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace troupe::cli {

// What the admin endpoint answered, for people. Pure and generic: fields that
// are not known here are shown all the same.

/// The report of one job: verdict, conditions, replicas, expectations, timers,
/// decisions.
std::vector<std::string> explain_lines(const nlohmann::json& report);

/// The tree of actors, one line each, children below their parent.
std::vector<std::string> top_lines(const nlohmann::json& tree);

} // namespace troupe::cli
