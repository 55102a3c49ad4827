#include "k8s/node/pods/unsupported_fields.hpp"

#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/containers/container_plan.hpp"
#include "k8s/node/pods/gpus.hpp"
#include "k8s/node/volumes/volumes.hpp"

#include <set>
#include <unistd.h>

namespace troupe::k8s::node {

namespace {

constexpr const char* container_lists[] = {"initContainers", "containers"};

/// Whether an amount counts for nothing here. Devices ("nvidia.com/gpu") are
/// given, or a warning of their own says that they are not.
bool has_other_than_devices(const json& amounts) {
  if (!amounts.is_object())
    return false;
  for (const auto& [name, amount] : amounts.items())
    if (!is_device_resource(name))
      return true;
  return false;
}

/// Whether it is to run as somebody else than this node. The container's own
/// wish counts before the pod's.
bool wants_another_user(const json& pod, const json& container) {
  auto* user = find_value(container, {"securityContext", "runAsUser"});
  if (!user || !user->is_number())
    user = find_value(pod, {"spec", "securityContext", "runAsUser"});
  return user && user->is_number() && *user != json(::getuid());
}

/// Init containers of the operator's: nobody can change what they ask for.
bool is_added_by_operator(const json& container) {
  const auto& name = text_at(container, {"name"});
  return name == "init-pytorch" || name == "kubectl-delivery";
}

/// Without isolation there are no mounts.
std::optional<start_error>
find_mount_error_without_isolation(const json& container) {
  for (const auto& mount : list_at(container, "volumeMounts"))
    if (text_at(mount, {"name"}).rfind("kube-api-access", 0) != 0)
      return start_error{"UnsupportedVolume",
                         "container " + text_at(container, {"name"})
                             + ": volume \"" + text_at(mount, {"name"})
                             + "\" cannot be mounted with --isolation none; "
                               "choose namespaces or preload"};
  return std::nullopt;
}

std::optional<start_error> find_missing_command_error(const json& container) {
  if (!list_at(container, "command").empty()
      || !builtin_tool_if_no_command(container).empty())
    return std::nullopt;
  return start_error{
      "NoCommand", "container " + text_at(container, {"name"})
                       + " has no command: no image is pulled here, so the "
                         "command inside the image is not known; give command "
                         "in the manifest"};
}

} // namespace

std::optional<start_error>
find_unsupported_field_error(const json& pod, isolation_kind isolation) {
  for (auto list : container_lists)
    for (const auto& c : list_at(pod["spec"], list)) {
      if (isolation == isolation_kind::none)
        if (auto r = find_mount_error_without_isolation(c))
          return r;
      if (auto r = find_unsupported_mount_error(pod, c))
        return r;
      if (auto r = find_missing_command_error(c))
        return r;
    }
  return std::nullopt;
}

std::string join_ignored_field_names(const json& pod) {
  std::set<std::string> found;
  for (auto list : container_lists)
    for (const auto& c : list_at(pod["spec"], list)) {
      if (is_added_by_operator(c))
        continue;
      for (auto key :
           {"livenessProbe", "readinessProbe", "startupProbe", "lifecycle"})
        if (auto* v = find_value(c, {key}); v && v->is_object() && !v->empty())
          found.insert(key);
      for (auto key : {"limits", "requests"})
        if (has_other_than_devices(value_at(c, {"resources", key})))
          found.insert(std::string{"resources."} + key);
      if (wants_another_user(pod, c))
        found.insert("securityContext.runAsUser (containers run as user "
                     + std::to_string(::getuid()) + ")");
    }
  std::string text;
  for (const auto& f : found)
    text += (text.empty() ? "" : ", ") + f;
  return text;
}

} // namespace troupe::k8s::node
