#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

namespace troupe::core {

/// Pods of a gang of Kubernetes' own scheduler. It is silent about pods whose
/// group is missing, and about groups with too few pods: that is inferred.
std::optional<waiting_reason> waiting_for_native_gang(const waiting_inputs& in);

} // namespace troupe::core
