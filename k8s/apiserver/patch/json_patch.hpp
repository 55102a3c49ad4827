#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/json.hpp"

namespace troupe::k8s::apiserver {

/// The document after the operations of a JSON patch (RFC 6902); the error 422
/// if they cannot be applied, 413 if they exceed a limit. Limits are checked
/// before each operation, so that no document in between is larger or deeper
/// than the result may be: 10,000 operations and 3 MiB of copies, as in
/// kube-apiserver, most_object_depth, and the cost of all operations together.
status_or<json> apply_json_patch(json document, const json& operations);

} // namespace troupe::k8s::apiserver
