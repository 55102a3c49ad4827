#pragma once

#include "k8s/json.hpp"
#include "k8s/node/base/isolation.hpp"
#include "k8s/node/base/start_error.hpp"

#include <optional>
#include <string>

namespace troupe::k8s::node {

/// Why this node can never run the pod, because of a field: volumes that it
/// cannot mount, and commands that only images have.
std::optional<start_error> find_unsupported_field_error(
    const json& pod, isolation_kind isolation = isolation_kind::preload);

/// The fields of the pod that have no effect on this node, for an event; "" if
/// there are none. Containers that the operator itself adds are left out.
std::string join_ignored_field_names(const json& pod);

} // namespace troupe::k8s::node
