#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace troupe::actors {

/// The report of one job as sentences: its state, what it waits for and who has
/// to act; its replicas and conditions, its pods (of more than 20, those that
/// are well are only counted), the operator's calls, and the last decisions.
/// Pure: the time is that of the report. What the report does not have is left
/// out.
std::vector<std::string> explain_report_lines(const nlohmann::json& report);

} // namespace troupe::actors
