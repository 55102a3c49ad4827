#pragma once

#include "actors/metrics/metrics.hpp"
#include "actors/metrics/queue_metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace troupe::actors {

class job_gauges;

/// The metrics about all jobs of this process. A supervisor sets the gauges of
/// its own job in memory that nobody else writes, and a scrape adds them up. So
/// a reconcile and a scrape never wait for each other. Thread-safe.
class job_metrics {
public:
  explicit job_metrics(prometheus::Registry& r);

  /// Of more jobs it is not told how far they are: each is a series.
  static constexpr std::size_t most_progress = 1'000;

  queue_metrics& queues() { return queues_; }

  std::unique_ptr<job_meter> add_job_meter(const char* framework);

  /// The sums over all jobs at this time.
  std::vector<prometheus::MetricFamily>
  collect_families(k8s::time_point now) const;

private:
  friend class job_gauges;

  prometheus::Family<prometheus::Histogram>& to_all_pods_;
  prometheus::Family<prometheus::Histogram>& to_running_;
  prometheus::Family<prometheus::Histogram>& recoveries_;
  prometheus::Family<prometheus::Counter>& restarts_;
  queue_metrics queues_;
  mutable std::mutex mutex_; // Of all below.
  std::set<job_gauges*> jobs_;
  struct launcher_job {
    std::string ns;
    std::string name;
  };
  struct progress {
    std::string ns;
    std::string name;
    std::int32_t percent = 0;
  };
  std::map<const job_gauges*, launcher_job> launchers_; ///< Of those that do.
  std::map<const job_gauges*, progress> progress_;      ///< Likewise; bounded.
  std::set<std::string> frameworks_; ///< Of all jobs since the start.
  /// By framework. A scrape adds what has passed since the last one, so that
  /// the sums never fall.
  mutable std::map<std::string, core::activity_times> activity_;
};

} // namespace troupe::actors
