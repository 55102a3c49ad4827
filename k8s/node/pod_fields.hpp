#pragma once

#include "k8s/calls.hpp"
#include "k8s/json.hpp"

#include <string>

namespace troupe::k8s::node {

// What the node reads of a pod's JSON again and again.

inline object_ref pod_ref(const json& pod) {
  return {resources::pods, text_at(pod, {"metadata", "namespace"}),
          text_at(pod, {"metadata", "name"})};
}

inline std::string uid_of(const json& object) {
  return text_at(object, {"metadata", "uid"});
}

inline bool is_terminal(const json& pod) {
  const auto& phase = text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

inline bool is_terminating(const json& pod) {
  return !text_at(pod, {"metadata", "deletionTimestamp"}).empty();
}

/// The resource of a ConfigMap or Secret.
inline resource config_source_resource(const std::string& kind) {
  return {"", "v1", kind == "Secret" ? "secrets" : "configmaps", kind};
}

/// A write of the pod's status, if it is still this pod.
inline request make_status_patch(const json& pod, const json& status) {
  auto r = merge_patch(
      pod_ref(pod),
      to_text({{"metadata", {{"uid", uid_of(pod)}}}, {"status", status}}));
  r.path += "/status";
  r.resource += "/status";
  return r;
}

} // namespace troupe::k8s::node
