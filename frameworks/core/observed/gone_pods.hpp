#pragma once

#include "frameworks/core/base/uid_key.hpp"
#include "frameworks/core/model/child_view.hpp"
#include "frameworks/core/model/recovery_status.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace troupe::exploration {
struct state_reader;
} // namespace troupe::exploration

namespace troupe::core {

/// What has to be known of a job's pods that are gone. A value.
class gone_pods {
public:
  /// Whether pods that are gone without having succeeded, and not because this
  /// process has deleted them, are kept as lost. A launcher Job that is gone
  /// before its end is kept as if it were its pod.
  void set_keeps_lost(bool keeps) {
    keeps_lost_ = keeps;
    if (!keeps)
      lost_.clear();
  }

  bool keeps_lost() const { return keeps_lost_; }

  /// A child, as it was last seen, is gone. `launcher`: the job's own launcher
  /// Job, or nullptr.
  void record(child_kind kind, const child_view& gone,
              const launcher_jobs& launchers, const child_view* launcher);

  /// As they were last seen.
  const std::vector<child_view>& lost() const { return lost_; }
  void forget_lost() { lost_.clear(); }
  /// Those of attempts that are over, and those that have been replaced: a pod
  /// is in their slot.
  void forget_settled_lost(const job& of, const recovery_status& saved,
                           const std::set<slot>& filled);

  /// Restart counts of pods that were deleted, but not replaced by us, to be
  /// added to the status (see restarts.hpp).
  const std::vector<child_view>& with_unsaved_restarts() const {
    return with_unsaved_restarts_;
  }
  void forget_unsaved_restarts() { with_unsaved_restarts_.clear(); }
  /// Of those with these UIDs only.
  void forget_unsaved_restarts(const std::set<uid_key>& saved);

  /// The number of consecutive early failures in this slot, up to the last
  /// deleted pod. It is lost when the process ends, so a pod whose replacement
  /// is delayed has it in an annotation, too.
  std::int32_t early_failure_count(const slot& at) const {
    auto i = early_failures_.find(at);
    return i == early_failures_.end() ? 0 : i->second;
  }

private:
  friend struct exploration::state_reader;
  void count_or_reset_early_failures(const child_view& gone);

  std::vector<child_view> with_unsaved_restarts_;
  std::map<slot, std::int32_t> early_failures_;
  std::vector<child_view> lost_;
  bool keeps_lost_ = false;
};

} // namespace troupe::core
