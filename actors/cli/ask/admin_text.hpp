#pragma once

#include "actors/cli/ask/job_argument.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::cli {

// What the admin endpoint answered, for people. Pure: the time is the one that
// the answer carries. What is not there is left out; nothing is shown as JSON
// (for that there is --output json). Of one job:
// actors/admin/text/explain_text.hpp.

/// The probable reason why an operator with this tree of actors and these
/// settings has no report of the job.
std::vector<std::string> missing_job_lines(const job_argument& job,
                                           const nlohmann::json& tree,
                                           const nlohmann::json& settings);

/// The tree of actors as tables: jobs, those that have not ended first, then
/// watches. Lines have at most `width` characters; 0: no limit.
std::vector<std::string> top_lines(const nlohmann::json& tree,
                                   std::size_t width);

} // namespace troupe::cli
