#pragma once

#include "actors/metrics/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace troupe::actors {

/// What the watchers of all resources do. Thread-safe.
class watch_metrics {
public:
  explicit watch_metrics(prometheus::Registry& r);
  ~watch_metrics();

  /// The same one whenever it is asked for.
  watch_meter& meter_of(const std::string& resource);

private:
  class resource_meter;

  prometheus::Family<prometheus::Counter>& lists_;
  prometheus::Family<prometheus::Counter>& events_;
  prometheus::Family<prometheus::Counter>& restarts_;
  std::mutex mutex_; // Of all below.
  std::map<std::string, std::unique_ptr<resource_meter>> resources_;
};

} // namespace troupe::actors
