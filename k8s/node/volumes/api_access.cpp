#include "k8s/node/volumes/api_access.hpp"

#include "k8s/node/base/pod_fields.hpp"

#include <algorithm>

namespace troupe::k8s::node {

namespace {

constexpr const char* volume_name = "kube-api-access-troupe";
constexpr const char* mount_path =
    "/var/run/secrets/kubernetes.io/serviceaccount";
/// What an API server makes of the hour that clusters ask for, as programs read
/// the token once.
constexpr std::int64_t year_seconds = 365 * 24 * 3600;

json make_api_access_volume(bool is_automatic) {
  json token{{"path", "token"}, {"expirationSeconds", year_seconds}};
  if (is_automatic)
    token["automatic"] = true;
  json authority{{"name", "kube-root-ca.crt"},
                 {"optional", true},
                 {"items", {{{"key", "ca.crt"}, {"path", "ca.crt"}}}}};
  json ns{{"path", "namespace"},
          {"fieldRef", {{"fieldPath", "metadata.namespace"}}}};
  return {{"name", volume_name},
          {"projected",
           {{"defaultMode", 0600},
            {"sources",
             {{{"serviceAccountToken", token}},
              {{"configMap", authority}},
              {{"downwardAPI", {{"items", json::array({ns})}}}}}}}}};
}

bool mounts_service_account_path(const json& container) {
  const auto& mounts = list_at(container, "volumeMounts");
  return std::any_of(mounts.begin(), mounts.end(), [](const json& m) {
    auto path = text_at(m, {"mountPath"});
    while (!path.empty() && path.back() == '/')
      path.pop_back();
    return path == mount_path;
  });
}

} // namespace

config_source_name encode_token_source(const token_source& t) {
  return {token_source_kind, to_text({{"audience", t.audience},
                                      {"seconds", t.seconds},
                                      {"automatic", t.is_automatic}})};
}

token_source decode_token_source(const config_source_name& name) {
  auto t = parse_json_or_null(name.second);
  return {text_at(t, {"audience"}), number_at(t, {"seconds"}),
          bool_at(t, {"automatic"})};
}

std::string service_account_or_default(const json& pod) {
  return text_at(pod, {"spec", "serviceAccountName"}, "default");
}

json with_api_access_volume_unless_disabled(json pod) {
  auto& spec = ensure_object(pod, "spec");
  const auto* automount = find_value(spec, {"automountServiceAccountToken"});
  bool is_set = automount && automount->is_boolean();
  if (is_set && !*automount)
    return pod;
  bool is_used = false;
  for (auto key : {"initContainers", "containers"})
    if (auto list = spec.find(key); list != spec.end() && list->is_array())
      for (auto& c : *list)
        if (c.is_object() && !mounts_service_account_path(c)) {
          ensure_array(c, "volumeMounts")
              .push_back({{"name", volume_name},
                          {"mountPath", mount_path},
                          {"readOnly", true}});
          is_used = true;
        }
  if (is_used)
    ensure_array(spec, "volumes").push_back(make_api_access_volume(!is_set));
  return pod;
}

} // namespace troupe::k8s::node
