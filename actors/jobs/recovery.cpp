#include "actors/jobs/recovery.hpp"

#include "frameworks/core/model/retry.hpp"

namespace troupe::actors {

void recovery::on_job_read(const std::vector<core::child_kind>& to_list) {
  state_ = state::listing_children;
  unread_ = {to_list.begin(), to_list.end()};
}

void recovery::on_list_read(core::child_kind kind) {
  unread_.erase(kind);
  if (!unread_.empty())
    return;
  state_ = state::complete;
  failures_ = 0;
}

std::chrono::milliseconds recovery::on_failure(const k8s::failure& why,
                                               double jitter) {
  state_ = state::waiting;
  return core::retry_delay_after(why, ++failures_, jitter);
}

} // namespace troupe::actors
