#include "frameworks/pod_security.hpp"

#include "frameworks/core/json.hpp"

#include <algorithm>

namespace troupe::frameworks {

using namespace core;

namespace {

constexpr int nonroot_user = 65532;

const json& context_of(const json& object) {
  return value_at(object, {"securityContext"});
}

/// What counts for a container: its own word, else the pod's.
const json& setting_of(const json& container, const json& spec,
                       const char* field) {
  const auto& own = value_at(context_of(container), {field});
  return own.is_null() ? value_at(context_of(spec), {field}) : own;
}

bool drops_all(const json& container) {
  const auto& dropped =
      value_at(context_of(container), {"capabilities", "drop"});
  return dropped.is_array()
         && std::find(dropped.begin(), dropped.end(), "ALL") != dropped.end();
}

bool complies(const json& container, const json& spec) {
  auto seccomp =
      text_at(setting_of(container, spec, "seccompProfile"), {"type"});
  return drops_all(container)
         && value_at(context_of(container), {"allowPrivilegeEscalation"})
                == false
         && setting_of(container, spec, "runAsNonRoot") == true
         && setting_of(container, spec, "runAsUser") != 0
         && (seccomp == "RuntimeDefault" || seccomp == "Localhost");
}

bool complies(const json& spec) {
  for (const char* list : {"initContainers", "containers"})
    for (const auto& container : value_at(spec, {list}))
      if (!complies(container, spec))
        return false;
  return true;
}

} // namespace

void restrict_container_like_pod(json& container, const json& spec) {
  const auto& containers = value_at(spec, {"containers"});
  if (!containers.is_array() || containers.empty() || !complies(spec))
    return;
  const auto& pod = context_of(spec);
  json context{{"allowPrivilegeEscalation", false},
               {"capabilities", {{"drop", json::array({"ALL"})}}}};
  if (value_at(pod, {"runAsNonRoot"}).is_null())
    context["runAsNonRoot"] = true;
  if (value_at(pod, {"seccompProfile"}).is_null())
    context["seccompProfile"] = {{"type", "RuntimeDefault"}};
  const auto& main = context_of(containers.front());
  if (value_at(pod, {"runAsUser"}).is_null())
    context["runAsUser"] = value_at(main, {"runAsUser"}).is_null()
                               ? json(nonroot_user)
                               : value_at(main, {"runAsUser"});
  if (value_at(pod, {"runAsGroup"}).is_null()
      && !value_at(main, {"runAsGroup"}).is_null())
    context["runAsGroup"] = value_at(main, {"runAsGroup"});
  container["securityContext"] = std::move(context);
}

} // namespace troupe::frameworks
