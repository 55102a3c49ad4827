#pragma once

#include "k8s/json.hpp"

#include <optional>
#include <string>

namespace troupe::cli {

// Words for what reports of the admin endpoint have in common.

/// The duration from the time at one path to that at another as age() says
/// it, nullopt if one of them is not there.
std::optional<std::string> age_between(const nlohmann::json& from_report,
                                       k8s::key_path from,
                                       const nlohmann::json& to_report,
                                       k8s::key_path to);

/// A number of seconds as age() says it.
std::string age_of(double seconds);

/// "1 pod", "2 pods".
std::string counted(std::int64_t n, const std::string& noun);

/// "once", "2 times".
std::string times(std::int64_t n);

} // namespace troupe::cli
