#include "k8s/apiserver/discovery/aggregated_discovery.hpp"

#include "k8s/apiserver/base/media_types.hpp"
#include "k8s/apiserver/discovery/discovery.hpp"

namespace troupe::k8s::apiserver {

namespace {

/// The kind of what a resource answers; "" of a group and a version means those
/// of the list.
json make_response_kind(const json& resource, const std::string& group,
                        const std::string& version) {
  return {{"group", text_at(resource, {"group"}, group)},
          {"version", text_at(resource, {"version"}, version)},
          {"kind", text_at(resource, {"kind"})}};
}

/// Whether the group is one of custom resources, which name theirs.
bool is_custom_group(const resource_registry& types, const std::string& name) {
  for (const auto& t : types.all())
    if (t->name.group == name)
      return t->custom;
  return false;
}

/// Resources with their subresources inside.
json make_discovery_resources(const json& list, const std::string& group,
                              const std::string& version) {
  json out = json::array();
  for (const auto& r : list) {
    const auto& name = text_at(r, {"name"});
    auto slash = name.find('/');
    json entry{{"responseKind", make_response_kind(r, group, version)},
               {"verbs", r["verbs"]}};
    if (slash != name.npos) {
      entry["subresource"] = name.substr(slash + 1);
      out.back()["subresources"].push_back(std::move(entry));
      continue;
    }
    entry["resource"] = name;
    entry["singularResource"] = r["singularName"];
    entry["scope"] = r["namespaced"] == true ? "Namespaced" : "Cluster";
    for (auto key : {"shortNames", "categories"})
      if (auto* names = find_value(r, {key}))
        entry[key] = *names;
    out.push_back(std::move(entry));
  }
  return out;
}

json make_group_discovery(const resource_registry& types,
                          const std::string& name,
                          const std::vector<std::string>& versions) {
  json all = json::array();
  bool custom = is_custom_group(types, name);
  for (const auto& v : versions)
    all.push_back(
        {{"version", v},
         {"freshness", "Current"},
         {"resources", make_discovery_resources(
                           make_resource_list(types, name, v)["resources"],
                           custom ? name : "", custom ? v : "")}});
  json meta = json::object();
  if (!name.empty())
    meta["name"] = name;
  return {{"metadata", std::move(meta)}, {"versions", std::move(all)}};
}

} // namespace

std::optional<http::response>
serve_aggregated_discovery_if_asked(const resource_registry& types,
                                    const http::request& r) {
  bool core = r.path == "/api" || r.path == "/api/";
  if (!core && r.path != "/apis" && r.path != "/apis/")
    return std::nullopt;
  auto version = requested_aggregated_discovery_version(r);
  if (version.empty())
    return std::nullopt;
  json groups = json::array();
  for (const auto& [name, versions] : versions_by_served_group(types))
    if (name.empty() == core)
      groups.push_back(make_group_discovery(types, name, versions));
  http::response out;
  out.content_type = "application/json;g=apidiscovery.k8s.io;v=" + version
                     + ";as=APIGroupDiscoveryList";
  out.body = to_text({{"kind", "APIGroupDiscoveryList"},
                      {"apiVersion", "apidiscovery.k8s.io/" + version},
                      {"metadata", json::object()},
                      {"items", std::move(groups)}})
             + "\n";
  return out;
}

} // namespace troupe::k8s::apiserver
