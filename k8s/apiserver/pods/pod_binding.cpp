#include "k8s/apiserver/pods/pod_binding.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

status_or<write_result> bind_pod(server_state& state, const request_info& info,
                                 const json& body) {
  auto s = state.objects.find("pods", info.storage_key());
  if (!s)
    return info.not_found_error();
  const auto& node = text_at(body, {"target", "name"});
  if (node.empty())
    return invalid("", "Binding", info.name, {required_value("target.name")});
  const auto& expected = text_at(body, {"metadata", "uid"});
  const auto& uid = text_at(s->value(), {"metadata", "uid"});
  if (!expected.empty() && expected != uid)
    return conflict("", "pods/binding", info.name,
                    "Precondition failed: UID in precondition: " + expected
                        + ", UID in object meta: " + uid);
  if (is_terminating(s->value()))
    return conflict("", "pods/binding", info.name,
                    "pod " + info.name
                        + " is being deleted, cannot be assigned "
                          "to a host");
  const auto& bound = text_at(s->value(), {"spec", "nodeName"});
  if (!bound.empty())
    return conflict("", "pods/binding", info.name,
                    "pod " + info.name + " is already assigned to node \""
                        + bound + "\"");
  json next = s->value();
  next["spec"]["nodeName"] = node;
  auto& conditions = ensure_object(next, "status")["conditions"];
  if (!conditions.is_array())
    conditions = json::array();
  json scheduled{{"type", "PodScheduled"},
                 {"status", "True"},
                 {"lastProbeTime", nullptr},
                 {"lastTransitionTime", state.timestamp()}};
  auto older = std::find_if(
      conditions.begin(), conditions.end(), [](const json& condition) {
        return text_at(condition, {"type"}) == "PodScheduled";
      });
  if (older != conditions.end())
    *older = std::move(scheduled);
  else
    conditions.push_back(std::move(scheduled));
  if (!info.is_dry_run())
    state.objects.put("pods", info.storage_key(), std::move(next));
  write_result out;
  out.http_status = 201;
  out.body = created_status();
  return out;
}

} // namespace troupe::k8s::apiserver
