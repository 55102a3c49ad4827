#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// A one-sentence summary, without subject, of the job's state after this
/// reconcile and of what it waits for. For the admin endpoint only.
std::string summarize_job_state(const reconcile_context& ctx,
                                const observed_children& seen);

} // namespace troupe::core
