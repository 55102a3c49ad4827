#include "frameworks/pod_security.hpp"

#include "frameworks/core/base/json.hpp"

#include <algorithm>

namespace troupe::frameworks {

using namespace core;

namespace {

constexpr int nonroot_user = 65532;

const json& security_context_of(const json& object) {
  return value_at(object, {"securityContext"});
}

/// What counts for a container: its own word, else the pod's.
const json& effective_security_setting(const json& container, const json& spec,
                                       const char* field) {
  const auto& own = value_at(security_context_of(container), {field});
  return own.is_null() ? value_at(security_context_of(spec), {field}) : own;
}

bool drops_all_capabilities(const json& container) {
  const auto& dropped =
      value_at(security_context_of(container), {"capabilities", "drop"});
  return dropped.is_array()
         && std::find(dropped.begin(), dropped.end(), "ALL") != dropped.end();
}

bool has_restricted_security_context(const json& container, const json& spec) {
  auto seccomp = text_at(
      effective_security_setting(container, spec, "seccompProfile"), {"type"});
  return drops_all_capabilities(container)
         && value_at(security_context_of(container),
                     {"allowPrivilegeEscalation"})
                == false
         && effective_security_setting(container, spec, "runAsNonRoot") == true
         && effective_security_setting(container, spec, "runAsUser") != 0
         && (seccomp == "RuntimeDefault" || seccomp == "Localhost");
}

bool do_containers_comply_with_restricted(const json& spec) {
  for (const char* list : {"initContainers", "containers"})
    for (const auto& container : value_at(spec, {list}))
      if (!has_restricted_security_context(container, spec))
        return false;
  return true;
}

} // namespace

void restrict_container_if_pod_complies(json& container, const json& spec) {
  const auto& containers = value_at(spec, {"containers"});
  if (!containers.is_array() || containers.empty()
      || !do_containers_comply_with_restricted(spec))
    return;
  const auto& pod = security_context_of(spec);
  json context{{"allowPrivilegeEscalation", false},
               {"capabilities", {{"drop", json::array({"ALL"})}}}};
  if (value_at(pod, {"runAsNonRoot"}).is_null())
    context["runAsNonRoot"] = true;
  if (value_at(pod, {"seccompProfile"}).is_null())
    context["seccompProfile"] = {{"type", "RuntimeDefault"}};
  const auto& main = security_context_of(containers.front());
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
