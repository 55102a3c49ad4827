#pragma once

#include "frameworks/core/pass.hpp"

namespace troupe::core {

/// The counts of one type as its status shows them. A running pod that is
/// being deleted counts as nothing: it has not failed.
replica_status count(const replica_view& type);

/// Renews the counts of every type, and tells when all have begun to run.
void renew_counts(pass& p);

} // namespace troupe::core
