#pragma once

#include "k8s/calls.hpp"
#include "k8s/json.hpp"

#include <initializer_list>
#include <map>
#include <string>

namespace troupe::k8s::node {

// Fields that several parts of the node read in the JSON of pods.

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

/// The members of the object at a path that are strings, by key.
inline std::map<std::string, std::string>
string_map_at(const json& o, std::initializer_list<const char*> path) {
  std::map<std::string, std::string> out;
  auto* object = find_value(o, path);
  if (object && object->is_object())
    for (const auto& [key, value] : object->items())
      if (value.is_string())
        out[key] = value.get<std::string>();
  return out;
}

/// Whether the field `key` is true.
inline bool flag_at(const json& object, const char* key) {
  auto* flag = find_value(object, {key});
  return flag && flag->is_boolean() && flag->get<bool>();
}

/// The list at `key`, or an empty one.
inline const json& list_at(const json& object, const char* key) {
  static const json none = json::array();
  auto* list = find_value(object, {key});
  return list && list->is_array() ? *list : none;
}

/// A request that writes a pod's status, a JSON text, if the pod still has this
/// UID.
inline request make_status_patch(const object_ref& pod, const std::string& uid,
                                 const std::string& status) {
  auto r = merge_patch(pod, "{\"metadata\":" + to_text({{"uid", uid}})
                                + ",\"status\":" + status + "}");
  r.path += "/status";
  r.resource += "/status";
  return r;
}

inline request make_status_patch(const json& pod, const json& status) {
  return make_status_patch(pod_ref(pod), uid_of(pod), to_text(status));
}

} // namespace troupe::k8s::node
