#include "k8s/node/pods/lost_pod.hpp"

#include "k8s/node/base/pod_fields.hpp"

#include <algorithm>

namespace troupe::k8s::node {

namespace {

constexpr const char* lost_message =
    "The node was restarted while the pod was running.";

bool has_container_id(const json& container_status) {
  return !text_at(container_status, {"containerID"}).empty();
}

/// As a kubelet writes it where it does not find the container.
void mark_container_lost_unless_terminated(json& status, time_point now) {
  if (find_value(status, {"state", "terminated"}))
    return;
  status["ready"] = false;
  status["started"] = false;
  json ended{{"reason", "ContainerStatusUnknown"},
             {"message", lost_message},
             {"exitCode", 137},
             {"finishedAt", to_rfc3339(now)}};
  if (auto* begun = find_value(status, {"state", "running", "startedAt"}))
    ended["startedAt"] = *begun;
  status["state"] = {{"terminated", std::move(ended)}};
}

} // namespace

bool has_started(const json& pod) {
  const auto& status = value_at(pod, {"status"});
  if (text_at(status, {"phase"}) == "Running")
    return true; // On a simulated node, perhaps.
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    const auto& all = list_at(status, list);
    if (std::any_of(all.begin(), all.end(), has_container_id))
      return true;
  }
  return false;
}

json make_lost_pod_status(const json& pod, time_point now) {
  auto status = value_at(pod, {"status"});
  status["phase"] = "Failed";
  status["reason"] = "NodeRestarted";
  status["message"] = lost_message;
  for (const char* list : {"containerStatuses", "initContainerStatuses"})
    if (status.contains(list))
      for (auto& c : ensure_array(status, list))
        mark_container_lost_unless_terminated(c, now);
  for (auto& c : ensure_array(status, "conditions"))
    if (text_at(c, {"type"}) == "Ready"
        || text_at(c, {"type"}) == "ContainersReady") {
      c["status"] = "False";
      c["reason"] = "PodFailed";
    }
  ensure_array(status, "conditions")
      .push_back({{"type", "DisruptionTarget"},
                  {"status", "True"},
                  {"reason", "TerminationByKubelet"},
                  {"message", lost_message},
                  {"lastTransitionTime", to_rfc3339(now)}});
  return status;
}

} // namespace troupe::k8s::node
