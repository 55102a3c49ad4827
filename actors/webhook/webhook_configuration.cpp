#include "actors/webhook/webhook_configuration.hpp"

#include "actors/webhook/webhook_names.hpp"
#include "frameworks/registry.hpp"
#include "k8s/base64.hpp"
#include "k8s/calls.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

using k8s::json;

bool has_name(const json& entry, const core::framework& kind) {
  return k8s::text_at(entry, {"name"}) == webhook_name(kind);
}

/// Whether the entry is about a job kind that is not reconciled here.
bool is_of_other_kind(const json& entry,
                      const std::vector<const core::framework*>& kinds) {
  auto names_it = [&](const core::framework* f) { return has_name(entry, *f); };
  const auto& all = frameworks::all();
  return std::any_of(all.begin(), all.end(),
                     [&](const core::framework& f) { return names_it(&f); })
         && std::none_of(kinds.begin(), kinds.end(), names_it);
}

json empty_configuration() {
  const auto& type = k8s::resources::validating_webhook_configurations;
  return {{"apiVersion", type.api_version()},
          {"kind", type.kind},
          {"metadata", {{"name", webhook_configuration_name}}}};
}

json entry_of(const core::framework& kind) {
  return {{"name", webhook_name(kind)},
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
             const std::string& url) {
  auto entry = std::find_if(entries.begin(), entries.end(),
                            [&](const json& e) { return has_name(e, kind); });
  if (entry == entries.end()) {
    entries.push_back(entry_of(kind));
    entry = std::prev(entries.end());
  }
  auto& client = k8s::ensure_object(*entry, "clientConfig");
  client.erase("service");
  client["url"] = url + validation_path(kind);
}

} // namespace

json desired_configuration(const json& current,
                           const webhook_configuration_policy& policy,
                           const std::string& bundle) {
  auto result = current.is_object() ? current : empty_configuration();
  auto& entries = k8s::ensure_array(result, "webhooks");
  auto kept = json::array();
  for (auto& entry : entries)
    if (!is_of_other_kind(entry, policy.kinds))
      kept.push_back(std::move(entry));
  if (!policy.url.empty())
    for (const auto* kind : policy.kinds)
      set_url(kept, *kind, policy.url);
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
