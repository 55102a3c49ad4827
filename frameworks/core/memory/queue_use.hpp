#pragma once

#include "frameworks/core/pass/queueing.hpp"

namespace troupe::core {

/// How a job stands to its queue, for metrics.
struct queue_use {
  std::string queue; ///< The LocalQueue; "": it is in none of ours.
  bool is_held = false;
  time_point held_since{};               ///< If it is held.
  std::optional<time_point> admitted_at; ///< If its pods may run.
  /// Its quota is to be given back when its pods are gone.
  bool awaits_release = false;
  /// Since when; nullopt: not known.
  std::optional<time_point> release_due = {};

  bool operator==(const queue_use& o) const {
    return queue == o.queue && is_held == o.is_held
           && held_since == o.held_since && admitted_at == o.admitted_at
           && awaits_release == o.awaits_release
           && release_due == o.release_due;
  }
};

queue_use find_queue_use(const job& j, const observed_children& seen,
                         const expectations& open, const job_status& saved,
                         time_point now, const cluster_options& cluster);

} // namespace troupe::core
