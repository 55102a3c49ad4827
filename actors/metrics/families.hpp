#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string>

namespace troupe::actors {

// How families of metrics are made. Included by the sources of metrics only.

using metric_labels = std::map<std::string, std::string>;
using histogram_bounds = prometheus::Histogram::BucketBoundaries;

prometheus::Family<prometheus::Counter>&
add_counter_family(prometheus::Registry& r, const char* name, const char* help);
prometheus::Family<prometheus::Gauge>&
add_gauge_family(prometheus::Registry& r, const char* name, const char* help);
prometheus::Family<prometheus::Histogram>&
add_histogram_family(prometheus::Registry& r, const char* name,
                     const char* help);

/// The one series of a family without labels.
prometheus::Counter& add_counter(prometheus::Registry& r, const char* name,
                                 const char* help);
prometheus::Gauge& add_gauge(prometheus::Registry& r, const char* name,
                             const char* help);

/// Counters of one family that were used before. Adding one to the family
/// costs half a microsecond and hashes. Not thread-safe.
class counter_table {
public:
  explicit counter_table(prometheus::Family<prometheus::Counter>& family)
      : family_(family) {}

  /// `labels()`: those of this key.
  template <class Labels>
  prometheus::Counter& at(const std::string& key, Labels labels) {
    auto& slot = known_[key];
    if (!slot)
      slot = &family_.Add(labels());
    return *slot;
  }

private:
  prometheus::Family<prometheus::Counter>& family_;
  std::map<std::string, prometheus::Counter*> known_;
};

} // namespace troupe::actors
