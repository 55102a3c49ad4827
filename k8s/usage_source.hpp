#pragma once

#include "k8s/objects.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s {

/// The use of some GPUs together.
struct gpu_usage {
  double busy = 0;         ///< GPUs: 0.5 is half of the time of one.
  std::int64_t memory = 0; ///< Bytes of their memory.
};

/// The use of a machine.
struct resource_usage {
  double cpu = 0;          ///< Cores, as an average over a window.
  std::int64_t memory = 0; ///< Bytes that are resident.
  /// The use of the GPUs that it was given; nullopt if unknown.
  std::optional<gpu_usage> gpus = {};
};

struct container_usage {
  std::string name;
  resource_usage used;
};

struct pod_usage {
  std::string ns;
  std::string name;
  std::vector<container_usage> containers; ///< The running ones.
};

struct node_usage {
  std::string name;
  resource_usage used; ///< By everything that runs on it, in pods or not.
  std::vector<pod_usage> pods;
  time_point measured;
  std::chrono::milliseconds window{0}; ///< The window of the CPU's average.
};

/// The source of what pods use: the node. Thread-safe.
class usage_source {
public:
  virtual ~usage_source() = default;

  /// Measures, and calls `done` with the result on a thread of its own.
  virtual void measure_usage(std::function<void(node_usage)> done) = 0;
};

} // namespace troupe::k8s
