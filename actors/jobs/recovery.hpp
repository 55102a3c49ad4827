#pragma once

#include "frameworks/core/model/children.hpp"
#include "k8s/result.hpp"

#include <chrono>
#include <set>
#include <vector>

namespace troupe::actors {

/// How far a job supervisor is with reading everything again: first the job,
/// then one list for each kind of child. Any failure begins anew after a pause.
///
///   complete --begin--> reading_job --on_job_read-->
///   listing_children
///      ^                    ^   |                     |    |
///      |                  begin | failed       failed |    | last on_list_read
///      |                    |   v                     |    |
///      |                   waiting <------------------+    |
///      +---------------------------------------------------+
class recovery {
public:
  enum class state { complete, reading_job, listing_children, waiting };

  state current_state() const { return state_; }
  bool is_complete() const { return state_ == state::complete; }

  void begin() { state_ = state::reading_job; }
  void on_job_read(const std::vector<core::child_kind>& to_list);
  void on_list_read(core::child_kind kind);
  /// How long to wait before it begins again. `jitter` in [0, 1).
  std::chrono::milliseconds on_failure(const k8s::failure& why, double jitter);

private:
  state state_ = state::complete;
  std::set<core::child_kind> unread_;
  int failures_ = 0; ///< Since it was complete.
};

} // namespace troupe::actors
