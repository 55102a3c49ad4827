#pragma once

#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// Between writes of status.progress, unless the job ends.
inline constexpr seconds between_progress_writes{10};

/// Puts what a pod has told last of how far the job is into the status, when it
/// is due.
void note_reported_progress(reconcile_context& ctx,
                            const observed_children& seen);

} // namespace troupe::core
