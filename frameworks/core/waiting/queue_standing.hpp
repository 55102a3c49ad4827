#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::core {

/// How a job stands to its queue of Kueue's, as people ask for it.
struct queue_standing {
  enum class phase : std::uint8_t {
    held,     ///< None of its pods may be there.
    leaving,  ///< It was evicted, or is deleted; its pods hold its quota.
    admitted, ///< Its pods may run.
    ended,    ///< The job has.
  };
  phase at = phase::held;
  std::string queue;               ///< The LocalQueue.
  std::string cluster_queue;       ///< That grants its quota; "": none does.
  std::string workload;            ///< Its name; "": there is none yet.
  std::optional<time_point> since; ///< Of the phase, if that is known.
  std::string why;                 ///< In the words of Kueue; "": it says none.
  /// Pods that are not made before quota is there, of a job that grows, too.
  std::int32_t held_pods = 0;
  /// Pods that have to end before the quota of the job is free again.
  std::int32_t pods_with_quota = 0;
  queue_news news; ///< If it is held.
};

const char* to_string(queue_standing::phase p); ///< "held", "leaving" ...

/// nullopt: it is in no queue of ours.
std::optional<queue_standing> find_queue_standing(const waiting_inputs& in);

} // namespace troupe::core
