#pragma once

#include "tests/simulation/json_access.hpp"

#include <random>
#include <string>

namespace troupe::simulation {

/// The container of every pod of a DIJob whose end is the pod's.
inline constexpr const char* di_container = "di-container";

/// A pod template of a DIJob.
inline json di_template() {
  return {{"spec",
           {{"containers", {{{"name", di_container}, {"image", "image"}}}}}}};
}

/// spec.cleanPodPolicy.
inline const char* random_clean_pod_policy(std::mt19937_64& random) {
  const char* const policies[] = {"None", "Running", "All"};
  return policies[random() % 3];
}

inline std::string clean_pod_policy_of(const json& spec) {
  const auto& policy = text(at(spec, "cleanPodPolicy"));
  return policy.empty() ? "Running" : policy;
}

inline const std::string& label_of(const json& object, const char* key) {
  return text(at(object, "metadata", "labels", key));
}

/// The UID of the job that owns it, "" if none does.
inline const std::string& owner_uid_of(const json& object) {
  return text(at(owner_of(object), "uid"));
}

/// The exit code of the pod's only container, or `otherwise`.
inline int exit_code_of(const json& pod, int otherwise = -1) {
  const auto& containers = at(pod, "status", "containerStatuses");
  if (!containers.is_array() || containers.empty())
    return otherwise;
  return number(at(containers[0], "state", "terminated", "exitCode"),
                otherwise);
}

/// A variable of the pod's only container, "" if it has none.
inline std::string variable_of(const json& pod, const char* name) {
  const auto& containers = at(pod, "spec", "containers");
  if (containers.is_array() && !containers.empty())
    for (const auto& v : at(containers[0], "env"))
      if (text(at(v, "name")) == name)
        return text(at(v, "value"));
  return {};
}

/// The condition of this type, or nullptr.
inline const json* condition_of(const json& status, const char* type) {
  for (const auto& c : at(status, "conditions"))
    if (text(at(c, "type")) == type)
      return &c;
  return nullptr;
}

} // namespace troupe::simulation
