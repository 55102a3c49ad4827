#pragma once

#include "k8s/calls.hpp"
#include "k8s/json.hpp"

#include <string>

namespace troupe::k8s::node {

// What the node reads of a pod's JSON again and again.

inline object_ref ref_of(const json& pod) {
  return {resources::pods, text_at(pod, {"metadata", "namespace"}),
          text_at(pod, {"metadata", "name"})};
}

inline std::string uid_of(const json& object) {
  return text_at(object, {"metadata", "uid"});
}

inline bool is_over(const json& pod) {
  const auto& phase = text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

inline bool is_leaving(const json& pod) {
  return !text_at(pod, {"metadata", "deletionTimestamp"}).empty();
}

/// The resource of a ConfigMap or Secret.
inline resource source_resource(const std::string& kind) {
  return {"", "v1", kind == "Secret" ? "secrets" : "configmaps", kind};
}

/// A write of the pod's status, if it is still this pod.
inline request patch_status(const json& pod, const json& status) {
  auto r = merge_patch(
      ref_of(pod),
      to_text({{"metadata", {{"uid", uid_of(pod)}}}, {"status", status}}));
  r.path += "/status";
  r.resource += "/status";
  return r;
}

} // namespace troupe::k8s::node
