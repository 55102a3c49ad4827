#pragma once

#include "frameworks/core/model/children.hpp"
#include "k8s/result.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace troupe::actors {

/// What a job supervisor reads itself: its job alone or, in a recovery,
/// everything: first the job, then one list for each kind of child. A read of
/// the job that failed is made again after a pause, a recovery of which
/// anything failed is begun anew. A value; time and randomness are arguments.
///
/// The states of a recovery:
///
///   complete --begin--> reading_job --on_job_read-->
///   listing_children
///      ^                    ^   |                     |    |
///      |                  begin | failed       failed |    | last on_list_read
///      |                    |   v                     |    |
///      |                   waiting <------------------+    |
///      +---------------------------------------------------+
class job_reads {
public:
  enum class state : std::uint8_t {
    complete,
    reading_job,
    listing_children,
    waiting
  };

  state current_state() const { return state_; }
  bool is_recovering() const { return state_ != state::complete; }

  void begin_recovery() { state_ = state::reading_job; }
  /// The job is asked for, alone or as the first of a recovery.
  void on_job_asked_for() { retry_at_.reset(); }
  void on_job_read() { failed_reads_of_job_ = 0; }
  void begin_lists(const std::vector<core::child_kind>& to_list);
  void on_list_read(core::child_kind kind);

  /// A read has failed; returns when what is due is read again. `jitter` in
  /// [0, 1).
  k8s::time_point record_failure_and_get_retry_time(const k8s::failure& why,
                                                    k8s::time_point now,
                                                    double jitter);

  /// After a failure: when the job, or everything, is read again.
  std::optional<k8s::time_point> retry_at() const { return retry_at_; }

private:
  state state_ = state::complete;
  std::set<core::child_kind> unread_;
  int failed_recoveries_ = 0; ///< Since one was complete.
  int failed_reads_of_job_ = 0;
  std::optional<k8s::time_point> retry_at_;
};

} // namespace troupe::actors
