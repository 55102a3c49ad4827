#pragma once

#include "frameworks/core/progress/progress_policy.hpp"
#include "frameworks/core/spec/checked_fields.hpp"

#include <nlohmann/json_fwd.hpp>

namespace troupe::core {

/// Reads a written policy of a job whose replicas are set; what is wrong with
/// it is told, and left out.
progress_policy read_progress_policy(const nlohmann::json& value, const job& of,
                                     const field_path& at,
                                     field_errors& errors);

} // namespace troupe::core
