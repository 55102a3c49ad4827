#pragma once

#include "k8s/apiserver/base/status_error.hpp"

namespace troupe::k8s::apiserver {

/// Applies a patch of the given content type to `target` and gives the result.
/// Custom resources do not allow a strategic merge patch (415).
status_or<json> apply_patch(const json& target, const json& patch,
                            const std::string& content_type,
                            bool allows_strategic_merge);

} // namespace troupe::k8s::apiserver
