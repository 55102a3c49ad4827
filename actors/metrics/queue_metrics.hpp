#pragma once

#include "actors/metrics/families.hpp"
#include "frameworks/core/memory/queue_use.hpp"

#include <prometheus/metric_family.h>

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::actors {

/// The metrics about queues of Kueue's. Thread-safe.
class queue_metrics {
public:
  explicit queue_metrics(prometheus::Registry& r);

  /// Of more queues, those that come later are one, "other".
  static constexpr std::size_t most_queues = 100;

  /// What one job contributes from now on.
  void set_use(const void* job, const std::string& ns,
               const core::queue_use& use, k8s::time_point now);
  void forget(const void* job);

  /// Workloads of jobs that are gone which await their release, and since when
  /// the oldest does.
  void set_releases_of_gone_jobs(std::size_t count,
                                 std::optional<k8s::time_point> oldest);

  std::vector<prometheus::MetricFamily>
  collect_families(k8s::time_point now) const;

private:
  using queue = std::pair<std::string, std::string>; ///< Namespace, name.

  struct entry {
    queue of;
    bool is_held = false;
    k8s::time_point held_since{};
    std::optional<k8s::time_point> release_since;
  };

  queue bounded(const std::string& ns, const std::string& name);

  prometheus::Family<prometheus::Histogram>& to_admission_;
  mutable std::mutex mutex_; // Of all below.
  std::set<queue> queues_;
  std::map<const void*, entry> jobs_; ///< Of those in a queue.
  std::size_t gone_ = 0;
  std::optional<k8s::time_point> oldest_gone_;
};

} // namespace troupe::actors
