#pragma once

#include "k8s/json.hpp"
#include "k8s/node/base/isolation.hpp"
#include "k8s/node/base/start_error.hpp"

#include <optional>
#include <string>

namespace troupe::k8s::node {

/// Why this node can never run the pod, if so: volumes that need root, and
/// commands that are in images only.
std::optional<start_error> find_unsupported_field_error(
    const json& pod, isolation_kind isolation = isolation_kind::preload);

/// The fields of the pod that have no effect on this node, for an event; "" if
/// there are none. What the operator itself adds is left out.
std::string join_ignored_field_names(const json& pod);

} // namespace troupe::k8s::node
