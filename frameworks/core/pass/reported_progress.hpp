#pragma once

#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/reconcile_context.hpp"
#include "frameworks/core/recovery/losses.hpp"

#include <optional>
#include <string>

namespace troupe::core {

/// Between writes of status.progress, unless the job ends.
inline constexpr seconds between_progress_writes{10};

/// Puts what a pod has told last of how far the job is into the status, when it
/// is due.
void note_reported_progress(reconcile_context& ctx,
                            const observed_children& seen);

/// What follows from the silence of a job, beside what it tells of it.
struct stall_step {
  std::optional<restart_decision> restart; ///< Of all of it.
  std::string failure;                     ///< Why it fails, or "".
};

/// Whether a job that is neither stopped nor restarted is silent for too long;
/// says so in condition Stalled, and reconciles again when that may change. A
/// pass that does not ask makes the time start anew.
stall_step watch_for_stall(reconcile_context& ctx,
                           const observed_children& seen);

/// Ends condition Stalled: with the next report, and where a job cannot be
/// stalled any more.
void end_stall(reconcile_context& ctx, const observed_children& seen);

/// "no progress for 12m (last: 45%, step 4100/9000)".
std::string describe_silence(const silence_clock& c,
                             const progress_status& last, time_point now);

} // namespace troupe::core
