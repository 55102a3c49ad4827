#pragma once

#include "frameworks/core/model/status_format.hpp"

namespace troupe::frameworks::di {

/// The status of a DIJob: phase, conditions, and replicaStatus, which always
/// has the four roles.
core::status_format status_format();

} // namespace troupe::frameworks::di
