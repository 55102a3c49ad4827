#include "k8s/apiserver/controller_objects.hpp"

#include "k8s/apiserver/object_metadata.hpp"
#include "k8s/apiserver/policy_updates.hpp"

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* authority_map = "kube-root-ca.crt";

json make_object(server_state& state, const char* kind, const std::string& ns,
                 const char* name) {
  return {{"apiVersion", "v1"},
          {"kind", kind},
          {"metadata",
           {{"name", name},
            {"namespace", ns},
            {"uid", state.new_uid()},
            {"creationTimestamp", state.timestamp()}}}};
}

void keep_default_account(server_state& state, const std::string& ns) {
  auto key = storage_key(ns, default_service_account);
  if (!state.objects.find("serviceaccounts", key))
    state.objects.put(
        "serviceaccounts", key,
        make_object(state, "ServiceAccount", ns, default_service_account));
}

void keep_authority(server_state& state, const std::string& ns) {
  const auto& authority = state.environment.certificate_authority;
  if (authority.empty())
    return;
  auto key = storage_key(ns, authority_map);
  json wanted{{"ca.crt", authority}};
  auto old = state.objects.find("configmaps", key);
  if (old && value_at(old->value, {"data"}) == wanted)
    return;
  json next =
      old ? old->value : make_object(state, "ConfigMap", ns, authority_map);
  next["data"] = std::move(wanted);
  state.objects.put("configmaps", key, std::move(next));
}

void keep_objects_of_namespace(server_state& state, const std::string& ns) {
  auto object = state.objects.find("namespaces", storage_key("", ns));
  if (!object || is_terminating(object->value))
    return;
  keep_default_account(state, ns);
  keep_authority(state, ns);
}

} // namespace

void keep_objects_of_all_namespaces(server_state& state) {
  if (!state.environment.makes_controller_objects)
    return;
  std::vector<std::string> names;
  state.objects.for_each(
      "namespaces", {}, {}, [&](const auto&, const stored_object_ptr& o) {
        names.push_back(text_at(o->value, {"metadata", "name"}));
        return true;
      });
  for (const auto& name : names)
    keep_objects_of_namespace(state, name);
}

void keep_objects_after_write(server_state& state, const std::string& bucket,
                              const std::string& ns) {
  if (!state.environment.makes_controller_objects)
    return;
  if (bucket == "namespaces" || bucket == "serviceaccounts"
      || bucket == "configmaps")
    keep_objects_of_namespace(state, ns);
  if (bucket == "clusterroles.rbac.authorization.k8s.io")
    aggregate_cluster_roles(state);
}

} // namespace troupe::k8s::apiserver
