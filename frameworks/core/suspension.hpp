#pragma once

#include "frameworks/core/pass.hpp"

namespace troupe::core {

/// Puts the job to rest: no children, conditions to match.
void suspend(pass& p, const observed& seen);

/// Wakes it, if it was at rest: its time starts anew.
void resume(pass& p);

} // namespace troupe::core
