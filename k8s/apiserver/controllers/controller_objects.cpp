#include "k8s/apiserver/controllers/controller_objects.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/controllers/cluster_role_aggregation.hpp"

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* authority_map = "kube-root-ca.crt";

json make_namespaced_object(server_state& state, const char* kind,
                            const std::string& ns, const char* name) {
  return {{"apiVersion", "v1"},
          {"kind", kind},
          {"metadata",
           {{"name", name},
            {"namespace", ns},
            {"uid", state.new_uid()},
            {"creationTimestamp", state.timestamp()}}}};
}

void ensure_default_service_account(server_state& state,
                                    const std::string& ns) {
  auto key = storage_key(ns, default_service_account);
  if (!state.objects.find("serviceaccounts", key))
    state.objects.put("serviceaccounts", key,
                      make_namespaced_object(state, "ServiceAccount", ns,
                                             default_service_account));
}

void ensure_root_ca_config_map(server_state& state, const std::string& ns) {
  const auto& authority = state.environment.certificate_authority;
  if (authority.empty())
    return;
  auto key = storage_key(ns, authority_map);
  json wanted{{"ca.crt", authority}};
  auto old = state.objects.find("configmaps", key);
  if (old && value_at(old->value(), {"data"}) == wanted)
    return;
  json next =
      old ? old->value()
          : make_namespaced_object(state, "ConfigMap", ns, authority_map);
  next["data"] = std::move(wanted);
  state.objects.put("configmaps", key, std::move(next));
}

void ensure_default_objects_unless_terminating(server_state& state,
                                               const std::string& ns) {
  auto object = state.objects.find("namespaces", storage_key("", ns));
  if (!object || is_terminating(object->value()))
    return;
  ensure_default_service_account(state, ns);
  ensure_root_ca_config_map(state, ns);
}

} // namespace

void ensure_default_objects_in_all_namespaces(server_state& state) {
  if (!state.environment.runs_builtin_controllers)
    return;
  std::vector<std::string> names;
  state.objects.for_each(
      "namespaces", {}, {}, [&](const auto&, const stored_object_ptr& o) {
        names.push_back(text_at(o->value(), {"metadata", "name"}));
        return true;
      });
  for (const auto& name : names)
    ensure_default_objects_unless_terminating(state, name);
}

void run_controllers_of_written_bucket(server_state& state,
                                       const std::string& bucket,
                                       const std::string& ns) {
  // Roles are no less complete where nothing else is controlled.
  if (bucket == "clusterroles.rbac.authorization.k8s.io")
    aggregate_cluster_roles(state);
  if (!state.environment.runs_builtin_controllers)
    return;
  if (bucket == "namespaces" || bucket == "serviceaccounts"
      || bucket == "configmaps")
    ensure_default_objects_unless_terminating(state, ns);
}

} // namespace troupe::k8s::apiserver
