#pragma once

#include "frameworks/core/reconcile_context.hpp"

namespace troupe::core {

/// Puts the job to rest: no children, conditions to match.
void suspend_job(reconcile_context& p, const observed_children& seen);

/// Resumes the job if it was suspended: its start time is set again.
void resume_job(reconcile_context& p);

} // namespace troupe::core
