#pragma once

#include "k8s/node/usage/process_table.hpp"

#include <chrono>
#include <map>
#include <string>

namespace troupe::k8s::node {

/// Makes averages of CPU time from sums: over the time since the previous
/// sample, or since the beginning for the first one. A value: callers give the
/// time.
class usage_meter {
public:
  using time = std::chrono::steady_clock::time_point;

  /// `used.cpu` is in seconds since `began`; in the result it is in cores.
  /// Samples less than half a second after the previous one repeat its average.
  resource_usage add_sample_and_compute_usage(const std::string& key,
                                              const resource_usage& used,
                                              time began, time now);
  /// Forgets keys without a sample since `then`.
  void drop_samples_before(time then);

private:
  struct sample {
    double cpu_seconds = 0;
    double cores = 0;
    time taken;
  };

  std::map<std::string, sample> samples_;
};

} // namespace troupe::k8s::node
