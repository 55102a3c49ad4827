#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace troupe::cli {

/// How to change a job whose kind this program runs in another apiVersion:
/// which apiVersion it needs, and which of its fields are elsewhere there or no
/// longer exist. "" if the program does not run the kind, or runs it in this
/// apiVersion.
std::string unserved_version_message(const nlohmann::json& job);

} // namespace troupe::cli
