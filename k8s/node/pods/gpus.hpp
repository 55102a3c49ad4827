#pragma once

#include "k8s/json.hpp"
#include "k8s/node/base/start_error.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// The NVIDIA GPUs of this machine by their indexes, in order: the files
/// nvidia0, nvidia1... of `device_directory` ("/dev"). `visible` is
/// CUDA_VISIBLE_DEVICES as this process has it: if it lists indexes, only those
/// count. nullptr: not set.
std::vector<int> find_nvidia_gpus(const std::string& device_directory,
                                  const char* visible);

/// Whether a resource is a device of the machine: it has a domain, as
/// nvidia.com/gpu has, that is not Kubernetes' own.
bool is_device_resource(const std::string& name);

/// How many nvidia.com/gpu the pod's containers ask for together.
std::size_t count_requested_gpus(const json& pod);

/// Whether this container of the pod asks for some.
bool requests_gpus(const json& pod, const std::string& container);

/// Why a machine with so many GPUs can never run the pod. One that has none
/// runs pods that ask for some without them.
std::optional<start_error> find_unmeetable_gpu_request(const json& pod,
                                                       std::size_t gpus);

/// Devices that the pod asks for and that this node does not give, for a
/// warning: "1 nvidia.com/gpu". "" if there are none.
std::string list_missing_devices(const json& pod, std::size_t gpus);

/// Which pod has which GPUs.
class gpu_allocator {
public:
  explicit gpu_allocator(const std::vector<int>& gpus)
      : total_(gpus.size())
      , free_(gpus.begin(), gpus.end()) {}

  std::size_t total() const { return total_; }
  std::size_t count_free() const { return free_.size(); }

  /// Gives a pod the lowest that are free; nullopt if they are too few.
  std::optional<std::vector<int>> allocate(const std::string& uid,
                                           std::size_t count);
  void release(const std::string& uid);

private:
  std::size_t total_;
  std::set<int> free_;
  std::map<std::string, std::vector<int>> allocated_; ///< By UID of the pod.
};

} // namespace troupe::k8s::node
