#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/json.hpp"

namespace troupe::k8s::apiserver {

/// The document after the operations of a JSON patch (RFC 6902), or why not:
/// 422 for what cannot be applied, 413 for what goes beyond a limit. Limits are
/// checked before each operation, so that no document on the way is larger or
/// deeper than what may come out: 10,000 operations and 3 MiB of copies, as in
/// kube-apiserver, most_object_depth, and what operations may cost in all.
status_or<json> apply_json_patch(json document, const json& operations);

} // namespace troupe::k8s::apiserver
