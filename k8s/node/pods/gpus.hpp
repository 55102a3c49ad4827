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

/// The indexes of this machine's NVIDIA GPUs, in order: of the files nvidia0,
/// nvidia1... of `device_directory` ("/dev"). `visible` is this process's
/// CUDA_VISIBLE_DEVICES, or null: if it lists indexes, only those count, and
/// none if it is "".
std::vector<int> find_nvidia_gpus(const std::string& device_directory,
                                  const char* visible);

/// Whether a resource is a device: it has a domain that is not Kubernetes' own,
/// as nvidia.com/gpu has.
bool is_device_resource(const std::string& name);

/// The sum of nvidia.com/gpu of the pod's containers, without its init
/// containers.
std::size_t count_gpus_without_init_containers(const json& pod);

/// Whether this container of the pod asks for GPUs.
bool requests_gpus(const json& pod, const std::string& container);

/// Why a machine with this number of GPUs can never run the pod. A machine
/// without GPUs can: the pod runs without them.
std::optional<start_error> find_unmeetable_gpu_request(const json& pod,
                                                       std::size_t gpus);

/// Devices for which the pod asks and that this node does not have, for a
/// warning: "1 nvidia.com/gpu". "" if there are none.
std::string missing_devices_text(const json& pod, std::size_t gpus);

/// Knows which pod has which GPUs.
class gpu_allocator {
public:
  explicit gpu_allocator(const std::vector<int>& gpus)
      : total_(gpus.size())
      , free_(gpus.begin(), gpus.end()) {}

  std::size_t total() const { return total_; }
  std::size_t count_free() const { return free_.size(); }

  /// Gives a pod the lowest free GPUs; nullopt if too few are free.
  std::optional<std::vector<int>> allocate(const std::string& uid,
                                           std::size_t count);
  void release(const std::string& uid);

private:
  std::size_t total_;
  std::set<int> free_;
  std::map<std::string, std::vector<int>> allocated_; ///< By UID of the pod.
};

} // namespace troupe::k8s::node
