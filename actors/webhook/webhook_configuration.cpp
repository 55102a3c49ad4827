#include "actors/webhook/webhook_configuration.hpp"

#include "actors/webhook/conversion_review.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "frameworks/registry.hpp"
#include "k8s/calls.hpp"
#include "k8s/general/base64.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

using k8s::json;

bool has_name(const json& entry, const std::string& name) {
  return k8s::text_at(entry, {"name"}) == name;
}

/// Whether the entry is about a job kind that is not reconciled here.
bool is_of_unreconciled_kind(const json& entry,
                             const webhook_configuration_id& id,
                             const std::vector<const core::framework*>& kinds) {
  auto names_it = [&](const core::framework& f) {
    auto name = webhook_of_kind_or_empty(id, f).name;
    return !name.empty() && has_name(entry, name);
  };
  const auto& all = frameworks::all();
  return std::any_of(all.begin(), all.end(), names_it)
         && std::none_of(kinds.begin(), kinds.end(),
                         [&](const auto* f) { return names_it(*f); });
}

json empty_configuration(const webhook_configuration_id& id) {
  const auto& type = id.ref().type;
  return {{"apiVersion", type.api_version()},
          {"kind", type.kind},
          {"metadata", {{"name", id.name}}}};
}

json make_webhook_entry(const core::framework& kind, const std::string& name) {
  return {{"name", name},
          {"admissionReviewVersions", {"v1"}},
          {"failurePolicy", "Fail"},
          {"sideEffects", "None"},
          {"rules",
           {{{"apiGroups", {kind.names.type.group}},
             {"apiVersions", {kind.names.type.version}},
             {"operations", {"CREATE", "UPDATE"}},
             {"resources", {kind.names.type.plural}}}}}};
}

/// Rules are of one version: a job is not converted to be reviewed by those of
/// another.
void set_exact_match_if_converted(json& entry, const core::framework& kind) {
  if (frameworks::find_conversion_of_resource(kind.names.type.group,
                                              kind.names.type.plural))
    entry["matchPolicy"] = "Exact";
}

/// Has the entry of `kind` lead to the URL; adds it if it is missing.
void ensure_webhook_entry_url(json& entries, const core::framework& kind,
                              const core::admission_webhook& webhook,
                              const std::string& url) {
  auto entry = std::find_if(entries.begin(), entries.end(), [&](const json& e) {
    return has_name(e, webhook.name);
  });
  if (entry == entries.end()) {
    entries.push_back(make_webhook_entry(kind, webhook.name));
    entry = std::prev(entries.end());
  }
  auto& client = k8s::ensure_object(*entry, "clientConfig");
  client.erase("service");
  client["url"] = url + webhook.path;
  set_exact_match_if_converted(*entry, kind);
}

// -- definitions --------------------------------------------------------------

bool reconciles_kind_of(const webhook_configuration_policy& policy,
                        const frameworks::object_conversion& c) {
  return std::any_of(policy.kinds.begin(), policy.kinds.end(),
                     [&](const core::framework* kind) {
                       return kind->names.type.group == c.group
                              && kind->names.type.plural == c.plural;
                     });
}

bool can_be_converted(const json& version,
                      const frameworks::object_conversion& c) {
  return std::find(c.versions.begin(), c.versions.end(),
                   k8s::text_at(version, {"name"}))
         != c.versions.end();
}

/// Whether the definition has several versions, all of which can be converted:
/// not one of another project, which has other versions.
bool has_several_versions_all_convertible(
    const json& definition, const frameworks::object_conversion& c) {
  const auto& versions = k8s::array_at(definition, {"spec", "versions"});
  return versions.size() > 1
         && std::all_of(versions.begin(), versions.end(),
                        [&](const json& v) { return can_be_converted(v, c); });
}

/// Of a conversion by our webhook; null if there is none.
const json& our_conversion_client_or_null(const json& definition) {
  static const json none;
  if (k8s::text_at(definition, {"spec", "conversion", "strategy"}) != "Webhook")
    return none;
  const auto& client = k8s::value_at(
      definition, {"spec", "conversion", "webhook", "clientConfig"});
  const std::string path = conversion_path;
  const auto& url = k8s::text_at(client, {"url"});
  bool ends_with_path =
      url.size() >= path.size()
      && url.compare(url.size() - path.size(), path.size(), path) == 0;
  return ends_with_path || k8s::text_at(client, {"service", "path"}) == path
             ? client
             : none;
}

/// Has the API server ask the URL for conversions, and serve all versions.
void set_conversion_url_and_serve_all(json& definition,
                                      const std::string& url) {
  auto& spec = definition["spec"];
  auto& conversion = k8s::ensure_object(spec, "conversion");
  conversion["strategy"] = "Webhook";
  auto& webhook = k8s::ensure_object(conversion, "webhook");
  webhook["conversionReviewVersions"] = {"v1"};
  auto& client = k8s::ensure_object(webhook, "clientConfig");
  client.erase("service");
  client["url"] = url + conversion_path;
  for (auto& version : spec["versions"])
    version["served"] = true;
}

json desired_crd(json definition, const std::string& url,
                 const std::string& bundle) {
  if (!url.empty())
    set_conversion_url_and_serve_all(definition, url);
  definition["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] =
      k8s::to_base64(bundle);
  return definition;
}

std::vector<const json*> client_configurations(const json& configuration) {
  std::vector<const json*> result;
  for (const auto& entry : k8s::array_at(configuration, {"webhooks"}))
    result.push_back(&k8s::value_at(entry, {"clientConfig"}));
  if (const auto& client = our_conversion_client_or_null(configuration);
      !client.is_null())
    result.push_back(&client);
  return result;
}

} // namespace

bool should_create_configuration(const webhook_configuration_id& id,
                                 const webhook_configuration_policy& policy) {
  return !policy.url.empty()
         && std::any_of(
             policy.kinds.begin(), policy.kinds.end(), [&](const auto* kind) {
               return !webhook_of_kind_or_empty(id, *kind).name.empty();
             });
}

bool should_manage_configuration(const json& current,
                                 const webhook_configuration_id& id,
                                 const webhook_configuration_policy& policy) {
  if (!id.conversion)
    return !current.is_null() || should_create_configuration(id, policy);
  if (!has_several_versions_all_convertible(current, *id.conversion))
    return false;
  return policy.url.empty() ? !our_conversion_client_or_null(current).is_null()
                            : reconciles_kind_of(policy, *id.conversion);
}

json desired_configuration(const json& current,
                           const webhook_configuration_policy& policy,
                           const std::string& bundle,
                           const webhook_configuration_id& id) {
  if (id.conversion)
    return desired_crd(current, policy.url, bundle);
  auto result = current.is_object() ? current : empty_configuration(id);
  auto& entries = k8s::ensure_array(result, "webhooks");
  auto kept = json::array();
  for (auto& entry : entries)
    if (!is_of_unreconciled_kind(entry, id, policy.kinds))
      kept.push_back(std::move(entry));
  if (!policy.url.empty())
    for (const auto* kind : policy.kinds)
      if (auto webhook = webhook_of_kind_or_empty(id, *kind);
          !webhook.name.empty())
        ensure_webhook_entry_url(kept, *kind, webhook, policy.url);
  for (auto& entry : kept)
    k8s::ensure_object(entry, "clientConfig")["caBundle"] =
        k8s::to_base64(bundle);
  entries = std::move(kept);
  return result;
}

bool has_client_configurations(const json& configuration) {
  return !client_configurations(configuration).empty();
}

std::string shared_ca_bundle(const json& configuration) {
  const auto clients = client_configurations(configuration);
  auto bundle_of = [](const json* client) -> const std::string& {
    return k8s::text_at(*client, {"caBundle"});
  };
  for (const auto* client : clients)
    if (bundle_of(client) != bundle_of(clients.front()))
      return "";
  if (clients.empty())
    return "";
  return k8s::from_base64(bundle_of(clients.front())).value_or("");
}

} // namespace troupe::actors
