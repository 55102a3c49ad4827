#pragma once

#include "frameworks/core/model/expectations.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/recovery_status.hpp"
#include "frameworks/core/observed/classify.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::core {

// The gang of a job for Kubernetes' own scheduler: its PodGroup, whose minCount
// follows what the job needs.

struct native_gang_inputs {
  const job& of; ///< Not finished, not suspended.
  const observed_children& seen;
  const classified_children& children;
  const recovery_status& recovery; ///< Which replicas are done.
  const expectations& open;
  time_point now;
};

struct native_gang_step {
  /// What there is to be; its body is the whole of a new one, else only what
  /// may change. nullopt: the job has no group of ours.
  std::optional<auxiliary_object> group;
  std::string group_of_pods; ///< What new pods name; "": nothing.
  /// Before it is changed, no pod may be made, and none removed because there
  /// are too many.
  bool changes_first = false;
  std::optional<job_event> warning; ///< Of what stays wrong.
  std::optional<time_point> look_again_at;
};

native_gang_step decide_native_gang(const native_gang_inputs& in);

/// Whether a pod was made without this group, and so does not count for it:
/// before there were gangs, or for another one. The scheduler goes by the name.
bool is_outside_group(const child_view& pod, const std::string& group);

/// How many pods the gang of a job has, and how many of them there are.
struct gang_count {
  std::int32_t total = 0; ///< All members.
  /// Those that have not ended for good, and have no pod outside the group.
  std::int32_t needed = 0;
  std::int32_t live = 0;   ///< Pods that count for the scheduler.
  std::int32_t placed = 0; ///< Those of them that have a node.
  /// A member that has not ended has no pod, or one without a node.
  bool any_missing_or_waiting = false;
};
gang_count count_gang(const native_gang_inputs& in, const std::string& group);

/// The group in which the job's pods are, or are to be, as observed; nullptr:
/// there is none.
const child_view* own_native_group(const observed_children& seen,
                                   const job& of);

/// As the server has it; 0: not known.
std::int32_t min_count_of(const child_view& group);

/// Whether the scheduler has said anything about it.
bool has_conditions(const child_view& group);

/// Of a group that the scheduler has refused for a while and that was not told
/// yet for this reason: what to tell of it; or when to ask again.
struct native_gang_refusal {
  const child_view* group = nullptr; ///< nullptr: there is nothing to tell.
  child_problem problem;
  std::optional<time_point> look_again_at;
};
native_gang_refusal find_lasting_refusal(const observed_children& seen,
                                         const job& of, time_point now);

} // namespace troupe::core
