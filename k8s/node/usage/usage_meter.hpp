#pragma once

#include "k8s/node/usage/process_table.hpp"

#include <chrono>
#include <map>
#include <string>

namespace troupe::k8s::node {

/// Makes averages of CPU time out of what has been used so far: over the time
/// since the sample before, or, for the first one, since the beginning. A
/// value: the clock is handed in.
class usage_meter {
public:
  using time = std::chrono::steady_clock::time_point;

  /// `used.cpu` is in seconds since `began`. The result's is in cores.
  resource_usage add_sample_and_compute_usage(const std::string& key,
                                              const resource_usage& used,
                                              time began, time now);
  /// Forgets what has had no sample since `then`.
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
