#include "frameworks/pod_security.hpp"

#include "frameworks/core/json_reading.hpp"

#include <algorithm>

namespace troupe::frameworks {

using namespace core;

namespace {

constexpr int nonroot_user = 65532;

const json& context_of(const json& object) {
  return member(object, "securityContext");
}

/// What counts for a container: its own word, else the pod's.
const json& setting_of(const json& container, const json& spec,
                       const char* field) {
  const auto& own = member(context_of(container), field);
  return own.is_null() ? member(context_of(spec), field) : own;
}

bool drops_all(const json& container) {
  const auto& dropped =
      member(member(context_of(container), "capabilities"), "drop");
  return dropped.is_array()
         && std::find(dropped.begin(), dropped.end(), "ALL") != dropped.end();
}

bool complies(const json& container, const json& spec) {
  auto seccomp =
      text_or(member(setting_of(container, spec, "seccompProfile"), "type"));
  return drops_all(container)
         && member(context_of(container), "allowPrivilegeEscalation") == false
         && setting_of(container, spec, "runAsNonRoot") == true
         && setting_of(container, spec, "runAsUser") != 0
         && (seccomp == "RuntimeDefault" || seccomp == "Localhost");
}

bool complies(const json& spec) {
  for (const char* list : {"initContainers", "containers"})
    for (const auto& container : member(spec, list))
      if (!complies(container, spec))
        return false;
  return true;
}

} // namespace

void comply_with_pod(json& container, const json& spec) {
  const auto& containers = member(spec, "containers");
  if (!containers.is_array() || containers.empty() || !complies(spec))
    return;
  const auto& pod = context_of(spec);
  json context{{"allowPrivilegeEscalation", false},
               {"capabilities", {{"drop", json::array({"ALL"})}}}};
  if (member(pod, "runAsNonRoot").is_null())
    context["runAsNonRoot"] = true;
  if (member(pod, "seccompProfile").is_null())
    context["seccompProfile"] = {{"type", "RuntimeDefault"}};
  const auto& main = context_of(containers.front());
  if (member(pod, "runAsUser").is_null())
    context["runAsUser"] = member(main, "runAsUser").is_null()
                               ? json(nonroot_user)
                               : member(main, "runAsUser");
  if (member(pod, "runAsGroup").is_null()
      && !member(main, "runAsGroup").is_null())
    context["runAsGroup"] = member(main, "runAsGroup");
  container["securityContext"] = std::move(context);
}

} // namespace troupe::frameworks
