#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace troupe::cli {

/// What to change in a job of a kind that this program runs, but not of this
/// apiVersion: the right one, and of what the job has what is elsewhere there
/// or has gone. "" if its kind or its version is none of these.
std::string unserved_version_message(const nlohmann::json& job);

} // namespace troupe::cli
