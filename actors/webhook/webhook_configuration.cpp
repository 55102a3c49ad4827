#include "actors/webhook/webhook_configuration.hpp"

#include "actors/webhook/webhook_names.hpp"
#include "frameworks/registry.hpp"
#include "k8s/base64.hpp"
#include "k8s/calls.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

using k8s::json;

bool has_name(const json& entry, const std::string& name) {
  return k8s::text_at(entry, {"name"}) == name;
}

/// Whether the entry is about a job kind that is not reconciled here.
bool is_of_other_kind(const json& entry, const webhook_configuration_id& id,
                      const std::vector<const core::framework*>& kinds) {
  auto names_it = [&](const core::framework& f) {
    auto name = webhook_in(id, f).name;
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

json entry_of(const core::framework& kind, const std::string& name) {
  return {{"name", name},
          {"admissionReviewVersions", {"v1"}},
          {"failurePolicy", "Fail"},
          {"sideEffects", "None"},
          {"rules",
           {{{"apiGroups", {kind.type.group}},
             {"apiVersions", {kind.type.version}},
             {"operations", {"CREATE", "UPDATE"}},
             {"resources", {kind.type.plural}}}}}};
}

/// Has the entry of `kind` lead to the URL; adds it if it is missing.
void set_url(json& entries, const core::framework& kind,
             const core::admission_webhook& webhook, const std::string& url) {
  auto entry = std::find_if(entries.begin(), entries.end(), [&](const json& e) {
    return has_name(e, webhook.name);
  });
  if (entry == entries.end()) {
    entries.push_back(entry_of(kind, webhook.name));
    entry = std::prev(entries.end());
  }
  auto& client = k8s::ensure_object(*entry, "clientConfig");
  client.erase("service");
  client["url"] = url + webhook.path;
}

} // namespace

bool is_made_here(const webhook_configuration_id& id,
                  const webhook_configuration_policy& policy) {
  return !policy.url.empty()
         && std::any_of(policy.kinds.begin(), policy.kinds.end(),
                        [&](const auto* kind) {
                          return !webhook_in(id, *kind).name.empty();
                        });
}

json desired_configuration(const json& current,
                           const webhook_configuration_policy& policy,
                           const std::string& bundle,
                           const webhook_configuration_id& id) {
  auto result = current.is_object() ? current : empty_configuration(id);
  auto& entries = k8s::ensure_array(result, "webhooks");
  auto kept = json::array();
  for (auto& entry : entries)
    if (!is_of_other_kind(entry, id, policy.kinds))
      kept.push_back(std::move(entry));
  if (!policy.url.empty())
    for (const auto* kind : policy.kinds)
      if (auto webhook = webhook_in(id, *kind); !webhook.name.empty())
        set_url(kept, *kind, webhook, policy.url);
  for (auto& entry : kept)
    k8s::ensure_object(entry, "clientConfig")["caBundle"] =
        k8s::to_base64(bundle);
  entries = std::move(kept);
  return result;
}

std::string common_ca_bundle(const json& configuration) {
  const auto& entries = k8s::array_at(configuration, {"webhooks"});
  auto bundle_of = [](const json& entry) -> const std::string& {
    return k8s::text_at(entry, {"clientConfig", "caBundle"});
  };
  for (const auto& entry : entries)
    if (bundle_of(entry) != bundle_of(entries.front()))
      return "";
  if (entries.empty())
    return "";
  return k8s::from_base64(bundle_of(entries.front())).value_or("");
}

} // namespace troupe::actors
