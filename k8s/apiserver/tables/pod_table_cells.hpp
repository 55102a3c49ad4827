#pragma once

#include "k8s/json.hpp"
#include "k8s/objects.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// What `kubectl get pods` shows of a pod and its containers.
struct pod_summary {
  std::string status;   ///< "Running", "Init:1/2", "CrashLoopBackOff".
  std::string ready;    ///< "1/2".
  std::string restarts; ///< "3", "3 (5m ago)".
};

pod_summary summarize_pod(const json& pod, time_point now);

/// The conditions of a pod's row, which say that the pod has ended; null if it
/// has not.
json ended_pod_row_conditions_or_null(const json& pod);

} // namespace troupe::k8s::apiserver
