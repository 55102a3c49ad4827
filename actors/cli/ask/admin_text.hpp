#pragma once

#include "actors/cli/ask/job_argument.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::cli {

// Answers of the admin endpoint as text for people. Pure: the time is that of
// the answer. Absent values are left out, and nothing is shown as JSON
// (--output json does that). For the report of one job see
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
