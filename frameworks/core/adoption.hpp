#pragma once

#include "frameworks/core/pass.hpp"

namespace troupe::core {

/// Lets go of children whose labels name another job now.
void release_leavers(pass& p);

/// Whether an orphan is to fill this empty place (adopting it if nothing
/// speaks against it), so that nothing need be created there.
bool adopt_into(pass& p, child what, const place& empty);

} // namespace troupe::core
