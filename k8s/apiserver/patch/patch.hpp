#pragma once

#include "k8s/apiserver/base/status_error.hpp"

namespace troupe::k8s::apiserver {

/// Applies a patch of the given content type to `target` and gives the result.
/// `builtin` allows strategic merge patches, which custom resources do not
/// have.
status_or<json> apply_patch(const json& target, const json& patch,
                            const std::string& content_type, bool builtin);

} // namespace troupe::k8s::apiserver
