#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// Deletes the job's pods and services, and sets Suspended at once, because
/// clients wait for it. The counts follow as the pods end.
void suspend_job(reconcile_context& ctx, const observed_children& seen);

/// Resumes the job if it was suspended: its start time is set again.
void resume_job_if_suspended(reconcile_context& ctx);

} // namespace troupe::core
