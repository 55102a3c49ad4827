#pragma once

#include "frameworks/core/model/child_view.hpp"
#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/model/job.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

/// So long after its grace period a pod still keeps quota; then its node counts
/// as dead.
inline constexpr std::chrono::seconds overdue_pod_keeps_quota{30};

/// So long after the end of a job's Workload Kueue may take to reserve quota
/// for the larger one that takes its place: the next write, which may be
/// repeated.
inline constexpr std::chrono::seconds slice_quota_takes{10};

/// What decides the next step of a job in a queue of Kueue's.
struct queue_view {
  queue_view(const job& j, time_point t)
      : of(j)
      , now(t) {}

  const job& of;
  time_point now;
  const child_view* workload = nullptr; ///< The job's own; nullptr: none known.
  /// Another one, for more pods, that waits to take its place.
  const child_view* second = nullptr;
  /// One that is finished and keeps the finalizer.
  const child_view* spent = nullptr;
  /// A read of its name has shown that there is none.
  bool looked_up_in_vain = false;
  /// It is to wait also if it names no queue.
  bool waits_without_label = false;
  bool ended = false; ///< By the status that is saved.
  /// Of the condition that ended it.
  bool succeeded = false;
  std::string end_message;
  /// The pods that the clean-up of an ended job deletes are gone.
  bool cleaned_up = false;
  /// Pods whose phase is neither Succeeded nor Failed, those too that are being
  /// deleted; and pods that may be created just now.
  int live_pods = 0;
  bool may_get_pods = false;
  /// Live pods beyond the size that the job has now.
  bool has_surplus_pods = false;
  /// How many replicas, of those that the job has now, have succeeded and need
  /// no pod any more.
  std::vector<pod_set_count> done;
  std::string held_because; ///< Nothing can be asked for; "": it can.
  pods_report pods; ///< What is to be told of them, if the job is admitted.
};

/// Whether pods of the job may be there.
enum class queue_verdict : std::uint8_t {
  run,  ///< They may.
  wait, ///< Not known yet: none is made, and none is deleted.
  hold, ///< None may be there: the job is treated as suspended.
};

struct queue_step {
  queue_verdict verdict = queue_verdict::run;
  std::optional<queue_order> order; ///< One write, and then look again.
  bool needs_lookup = false;        ///< Read the Workload by its name.
  /// How many pods it may have of each type, if not as many as it asks for.
  std::vector<pod_set_count> most_pods;
  /// When a pod that is being deleted keeps no quota any more, or a wait ends.
  std::optional<time_point> look_again_at;
  std::string summary; ///< Why the job waits; "": it does not.
};

/// "queue team-a of Kueue", as after "waits for".
std::string queue_words(const std::string& queue);

/// The next step; correct after any interruption, because it looks at what is
/// there and at nothing that was done before.
queue_step next_queue_step(const queue_view& v);

} // namespace troupe::core
