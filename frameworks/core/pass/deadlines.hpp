#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// When an unfinished job has been active too long, if ever.
std::optional<time_point> active_deadline_at(const job& j, const job_status& s);

/// The first moment at which a finished job is to be removed, if ever: later
/// than the end of its time to live, not equal to it.
std::optional<time_point> ttl_expires_at(const job& j, const job_status& s);

/// Deletes a finished job after its time to live, or requeues it for then.
void delete_job_after_ttl(reconcile_context& ctx);

} // namespace troupe::core
