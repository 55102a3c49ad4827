#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// When an unfinished job has been active too long, if ever.
std::optional<time_point> active_deadline_at(const job& j, const job_status& s);

/// The first moment at which a finished job is to be removed, if ever: later
/// than the end of its time to live, not equal to it.
std::optional<time_point> ttl_expires_at(const job& j, const job_status& s);

/// The same of a kind whose finished jobs ignore `suspend`.
std::optional<time_point> ttl_expires_at_even_if_suspended(const job& j,
                                                           const job_status& s);

/// Deletes a finished job if its time to live has ended at `end`, or requeues
/// it for then.
void delete_job_after_ttl(reconcile_context& ctx,
                          const std::optional<time_point>& end);

} // namespace troupe::core
