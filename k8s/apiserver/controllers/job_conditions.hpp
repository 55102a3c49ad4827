#pragma once

#include "k8s/json.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// The condition of this type, or null.
const json* find_job_condition(const json& status, const char* type);

/// Whether it is there and True.
bool is_job_condition_true(const json& status, const char* type);

/// Sets a condition to True or False, which changes its reason, message and
/// time if its status changes. One that is missing is not False. Returns
/// whether anything has changed.
bool set_job_condition(json& status, const char* type, bool value,
                       const std::string& reason, const std::string& message,
                       const std::string& time);

} // namespace troupe::k8s::apiserver
