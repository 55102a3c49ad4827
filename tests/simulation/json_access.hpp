#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace troupe::simulation {

using nlohmann::json;

// Reading objects without copying them; what is not there is null, empty or 0.

inline const json& at(const json& j, const char* key) {
  static const json null;
  if (!j.is_object())
    return null;
  auto i = j.find(key);
  return i == j.end() ? null : *i;
}

template <class... Keys>
const json& at(const json& j, const char* key, Keys... deeper) {
  return at(at(j, key), deeper...);
}

inline const std::string& text(const json& j) {
  static const std::string none;
  return j.is_string() ? j.get_ref<const std::string&>() : none;
}

inline int number(const json& j, int otherwise = 0) {
  return j.is_number_integer() ? j.get<int>() : otherwise;
}

inline const std::string& phase_of(const json& pod) {
  return text(at(pod, "status", "phase"));
}

inline bool deleting(const json& object) {
  return at(object, "metadata").contains("deletionTimestamp");
}

inline const std::string& uid_of(const json& object) {
  return text(at(object, "metadata", "uid"));
}

inline const std::string& name_of(const json& object) {
  return text(at(object, "metadata", "name"));
}

inline const json& owner_of(const json& object) {
  const auto& owners = at(object, "metadata", "ownerReferences");
  static const json null;
  return owners.is_array() && !owners.empty() ? owners[0] : null;
}

/// The value of one of the labels of jobs' children.
inline const std::string& label(const json& object, const char* key) {
  static const std::string stem = "training.kubeflow.org/";
  return text(at(object, "metadata", "labels", (stem + key).c_str()));
}

/// The attempt of the job that an object says it is part of; 0 if it says none.
inline int attempt_of(const json& object) {
  const auto& n = label(object, "restart-attempt");
  return n.empty() ? 0 : std::stoi(n);
}

/// Whether Volcano lets the pods of the group be created.
inline bool is_admitted(const json& pod_group) {
  const auto& phase = phase_of(pod_group);
  return !phase.empty() && phase != "Pending";
}

/// Whether a job's condition is there and True.
inline bool is_true(const json& status, const char* type) {
  const auto& conditions = at(status, "conditions");
  if (conditions.is_array())
    for (const auto& c : conditions)
      if (text(at(c, "type")) == type)
        return text(at(c, "status")) == "True";
  return false;
}

inline bool finished(const json& job) {
  const auto& status = at(job, "status");
  return is_true(status, "Succeeded") || is_true(status, "Failed");
}

} // namespace troupe::simulation
