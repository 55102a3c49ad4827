#include "frameworks/core/pass/reported_progress.hpp"

#include "frameworks/core/base/retry.hpp"

namespace troupe::core {

void note_reported_progress(reconcile_context& ctx,
                            const observed_children& seen) {
  const auto& told = *seen.reported();
  auto& status = ctx.status();
  const auto& noted = *status.progress;
  if (told == progress_status{} || told == noted)
    return;
  auto due = noted.time + between_progress_writes;
  bool waits = noted != progress_status{} && !status.is_finished()
               && !has_wait_ended_or_clock_reset(noted.time, due, ctx.now);
  if (waits)
    ctx.requeue_no_later_than(due);
  else
    status.progress = seen.reported();
}

} // namespace troupe::core
