#pragma once

#include "actors/metrics/families.hpp"
#include "k8s/api.hpp"

#include <array>
#include <map>
#include <mutex>
#include <string>

namespace troupe::actors {

enum class call_priority : std::uint8_t;

/// The calls to the API server, and how long they took and waited. Thread-safe.
class call_metrics {
public:
  explicit call_metrics(prometheus::Registry& r);

  /// `code`: "ok" or the failure's name.
  void observe_call(k8s::verb what, const std::string& resource,
                    const char* code, double seconds);
  void observe_wait(call_priority priority, double seconds);

private:
  prometheus::Family<prometheus::Histogram>& times_;
  std::array<prometheus::Histogram*, 4> waits_{}; ///< By priority.
  std::mutex mutex_;                              // Of all below.
  counter_table calls_;
  std::map<std::string, prometheus::Histogram*> times_of_verb_;
};

} // namespace troupe::actors
