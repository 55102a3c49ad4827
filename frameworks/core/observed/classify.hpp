#pragma once

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/recovery_status.hpp"

#include <vector>

namespace troupe::core {

/// The children of one slot.
struct slot_state {
  slot at;
  /// The one that counts, or nullptr. One that a launcher Job has made only if
  /// the job restarts more than single pods.
  const child_view* pod = nullptr;
  const child_view* service = nullptr;        ///< Likewise.
  const child_view* orphan_pod = nullptr;     ///< Could be adopted.
  const child_view* orphan_service = nullptr; ///< Likewise.
  /// How many earlier pods, in a row; 0 if pods are not replaced alone.
  std::int32_t early_failures = 0;

  const child_view* owned_child(child_kind kind) const {
    return kind == child_kind::pod ? pod : service;
  }
  const child_view* adoptable_orphan(child_kind kind) const {
    return kind == child_kind::pod ? orphan_pod : orphan_service;
  }
};

/// One replica type and its slots, index by index; see
/// most_replicas_of_type_in_pass.
struct replica_type_view {
  const replica_spec* spec = nullptr;
  /// nullptr: it does not affect the job's conditions.
  const replica_rule* rule = nullptr;
  std::vector<slot_state> slots;
};

/// A child that does not count for a slot, and its kind.
struct misplaced_child {
  child_kind kind = child_kind::pod;
  const child_view* view = nullptr;
};

/// The job's children, each where it belongs. Points into the job and into what
/// was observed; created for each call of plan().
struct classified_children {
  std::vector<replica_type_view> types;      ///< As in the job.
  std::vector<misplaced_child> duplicates;   ///< Ours, in a slot that is taken.
  std::vector<misplaced_child> out_of_range; ///< Ours, out of range.
  /// Ours, but their labels name no slot.
  std::vector<misplaced_child> unplaced;
  /// Ours, but their labels name another job.
  std::vector<misplaced_child> mislabelled;
  /// Pods of ours of an attempt that is over, in any slot. They fill none.
  /// Those that a launcher Job has made, too, also if that is gone.
  std::vector<const child_view*> of_older_attempts;
};

/// `attempts` says which pods are of an attempt that is over.
classified_children classify_children(const job& j,
                                      const observed_children& seen,
                                      const recovery_status& attempts = {});

} // namespace troupe::core
