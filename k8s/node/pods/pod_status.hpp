#pragma once

#include "k8s/json.hpp"
#include "k8s/objects.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// The state of a container, as in status.containerStatuses.
struct container_state {
  enum class kind { waiting, running, terminated };

  kind now = kind::waiting;
  std::string reason; ///< Waiting or terminated.
  std::string message;
  time_point started{};
  time_point finished{}; ///< Terminated.
  int exit_code = 0;
  int signal = 0;
};

struct container_runtime_status {
  std::string name;
  std::string image;
  container_state state;
  std::optional<container_state> last; ///< How its previous life ended.
  int restarts = 0;
  int pid = 0;             ///< Of its latest life; 0 before the first.
  bool is_sidecar = false; ///< It is an init container that keeps running.
};

/// The state of a whole pod.
struct pod_runtime_status {
  std::string phase = "Pending";
  std::string reason;
  std::string message;
  std::string pod_address;
  std::string host_address;
  time_point started{};
  bool initialized = false;
  std::vector<container_runtime_status> init_containers;
  std::vector<container_runtime_status> containers;

  bool is_terminal() const { return phase == "Succeeded" || phase == "Failed"; }
};

/// The pod's whole status, as a kubelet would write it. Conditions with the
/// same value as in `before`, the status written last, keep their time.
json make_pod_status(const pod_runtime_status& v, const json& before,
                     time_point now);

/// The status of a pod that cannot be bound. `reason` is Unschedulable or one
/// of final_start_errors.
json make_unschedulable_status(const std::string& reason,
                               const std::string& why, time_point now);

/// The phase of a pod, from the states of its containers.
/// `containers_finished[i]` says that container i will not be started again.
std::string compute_pod_phase(const pod_runtime_status& v,
                              const std::vector<bool>& containers_finished);

/// Whether a container that ended so is started again under this policy.
bool should_restart(const std::string& policy, int exit_code);

/// How long a container waits after its `crash_count`-th end in a row: not at
/// all after the first, then `base`, doubled each time up to thirty times the
/// base (10 s give five minutes).
std::chrono::milliseconds restart_back_off(int crash_count,
                                           std::chrono::milliseconds base);

/// Whether a container ran so long that its end counts as the first again:
/// sixty times the base (10 s give ten minutes).
bool ran_long_enough_to_reset_back_off(std::chrono::system_clock::duration ran,
                                       std::chrono::milliseconds base);

} // namespace troupe::k8s::node
