#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace troupe::actors {

/// The report of one job as sentences: its state, what it waits for and who has
/// to act; its replicas and conditions, the pods that need a look, the
/// operator's calls, and what was decided last. Pure: the time is the one that
/// the report carries. What is not there is left out.
std::vector<std::string> explain_report_lines(const nlohmann::json& report);

} // namespace troupe::actors
