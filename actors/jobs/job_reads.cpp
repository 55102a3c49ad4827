#include "actors/jobs/job_reads.hpp"

#include "frameworks/core/base/retry.hpp"

namespace troupe::actors {

void job_reads::begin_lists(const std::vector<core::child_kind>& to_list) {
  state_ = state::listing_children;
  unread_ = {to_list.begin(), to_list.end()};
}

void job_reads::on_list_read(core::child_kind kind) {
  unread_.erase(kind);
  if (!unread_.empty())
    return;
  state_ = state::complete;
  failed_recoveries_ = 0;
}

k8s::time_point job_reads::record_failure_and_get_retry_time(
    const k8s::failure& why, k8s::time_point now, double jitter) {
  auto& failures = is_recovering() ? failed_recoveries_ : failed_reads_of_job_;
  if (is_recovering())
    state_ = state::waiting;
  retry_at_ = now + core::retry_delay_after(why, ++failures, jitter);
  return *retry_at_;
}

} // namespace troupe::actors
