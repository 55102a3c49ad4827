#include "k8s/apiserver/discovery/discovery.hpp"

#include "k8s/apiserver/base/media_types.hpp"
#include "k8s/apiserver/discovery/openapi.hpp"
#include "k8s/codec/message_table.hpp"
#include "k8s/general/architecture.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>

namespace troupe::k8s::apiserver {

namespace {

/// The number that the text begins with, which is then removed.
std::optional<std::int64_t> take_leading_number(std::string_view& text) {
  std::uint32_t number = 0; // Without a sign.
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{})
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Smaller for versions that clients should prefer: "v2", "v1", "v1beta2",
/// "v1beta1", "v1alpha1", then all other names in their order.
auto version_sort_key_preferred_first(const std::string& version) {
  auto rank = [&](int stage, std::int64_t major, std::int64_t minor) {
    return std::make_tuple(stage, -major, -minor, version);
  };
  auto other = rank(3, 0, 0);
  std::string_view rest{version};
  if (!remove_prefix(rest, "v"))
    return other;
  auto major = take_leading_number(rest);
  if (major && rest.empty())
    return rank(0, *major, 0);
  int stage = remove_prefix(rest, "beta") ? 1 : 2;
  if (!major || (stage == 2 && !remove_prefix(rest, "alpha")))
    return other;
  auto minor = take_leading_number(rest);
  if (!minor || !rest.empty())
    return other;
  return rank(stage, *major, *minor);
}

json make_api_group(const std::string& name,
                    const std::vector<std::string>& all) {
  json versions = json::array();
  for (const auto& v : all)
    versions.push_back({{"groupVersion", name + "/" + v}, {"version", v}});
  return {{"name", name},
          {"versions", versions},
          {"preferredVersion", versions.front()}};
}

json make_api_resource(const served_resource& t, const std::string& name,
                       const std::string& kind, json verbs) {
  return {{"name", name},
          {"singularName", name == t.name.plural ? t.singular : ""},
          {"namespaced", t.namespaced},
          {"kind", kind},
          {"verbs", std::move(verbs)}};
}

void add_resource_and_subresources(json& list, const served_resource& t) {
  if (t.is_review) {
    list.push_back(
        make_api_resource(t, t.name.plural, t.name.kind, {"create"}));
    return;
  }
  if (t.is_metrics_resource) {
    list.push_back(
        make_api_resource(t, t.name.plural, t.name.kind, {"get", "list"}));
    return;
  }
  json verbs{"create", "delete", "get", "list", "patch", "update", "watch"};
  if (t.has_collection_deletion)
    verbs.insert(verbs.begin() + 2, "deletecollection");
  auto e = make_api_resource(t, t.name.plural, t.name.kind, std::move(verbs));
  if (!t.short_names.empty())
    e["shortNames"] = t.short_names;
  if (!t.categories.empty())
    e["categories"] = t.categories;
  list.push_back(std::move(e));
  if (t.has_status)
    list.push_back(make_api_resource(t, t.name.plural + "/status", t.name.kind,
                                     {"get", "patch", "update"}));
  if (t.has_scale) {
    auto scale = make_api_resource(t, t.name.plural + "/scale", "Scale",
                                   {"get", "patch", "update"});
    scale["group"] = "autoscaling";
    scale["version"] = "v1";
    list.push_back(std::move(scale));
  }
  if (t.bucket == "namespaces")
    list.push_back(
        make_api_resource(t, "namespaces/finalize", t.name.kind, {"update"}));
  if (t.bucket == "serviceaccounts") {
    auto token = make_api_resource(t, "serviceaccounts/token", "TokenRequest",
                                   {"create"});
    token["group"] = "authentication.k8s.io";
    token["version"] = "v1";
    list.push_back(std::move(token));
  }
  if (t.bucket == "pods") {
    list.push_back(make_api_resource(t, "pods/attach", "PodAttachOptions",
                                     {"create", "get"}));
    list.push_back(make_api_resource(t, "pods/binding", "Binding", {"create"}));
    auto eviction =
        make_api_resource(t, "pods/eviction", "Eviction", {"create"});
    eviction["group"] = "policy";
    eviction["version"] = "v1";
    list.push_back(std::move(eviction));
    list.push_back(
        make_api_resource(t, "pods/exec", "PodExecOptions", {"create", "get"}));
    list.push_back(make_api_resource(t, "pods/log", "Pod", {"get"}));
    list.push_back(make_api_resource(
        t, "pods/portforward", "PodPortForwardOptions", {"create", "get"}));
  }
}

} // namespace

std::map<std::string, std::vector<std::string>>
versions_by_served_group(const resource_registry& types) {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& t : types.all()) {
    auto& versions = out[t->name.group];
    if (std::find(versions.begin(), versions.end(), t->name.version)
        == versions.end())
      versions.push_back(t->name.version);
  }
  for (auto& [group, versions] : out)
    std::sort(versions.begin(), versions.end(), [](auto& a, auto& b) {
      return version_sort_key_preferred_first(a)
             < version_sort_key_preferred_first(b);
    });
  return out;
}

json make_resource_list(const resource_registry& types,
                        const std::string& group, const std::string& version) {
  json list = json::array();
  for (const auto& t : types.all())
    if (t->name.group == group && t->name.version == version)
      add_resource_and_subresources(list, *t);
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", group.empty() ? version : group + "/" + version},
          {"resources", std::move(list)}};
}

namespace {

json make_group_list(const resource_registry& types) {
  json list = json::array();
  for (const auto& [name, versions] : versions_by_served_group(types))
    if (!name.empty())
      list.push_back(make_api_group(name, versions));
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", list}};
}

/// That of the definitions of its built-in resources.
const json& version_info() {
  static const auto numbers =
      split_without_empty_parts(kubernetes_version, '.');
  static const json v{
      {"major", numbers[0]},
      {"minor", numbers[1]},
      {"gitVersion", "v" + std::string(kubernetes_version) + "+troupe"},
      {"gitCommit", ""},
      {"gitTreeState", "clean"},
      {"buildDate", "1970-01-01T00:00:00Z"},
      {"goVersion", ""},
      {"compiler", ""},
      {"platform", "linux/" + host_architecture()}};
  return v;
}

std::optional<json> make_openapi_document(const resource_registry& types,
                                          const std::string& path) {
  if (path == "/openapi/v2")
    return make_empty_openapi_v2();
  json all = json::object();
  for (const auto& [group, versions] : versions_by_served_group(types))
    for (const auto& v : versions) {
      auto root = group.empty() ? "api/" + v : "apis/" + group + "/" + v;
      if (path == "/openapi/v3/" + root)
        return make_openapi_v3(types, root, group, v);
      all[root] = {{"serverRelativeURL", "/openapi/v3/" + root}};
    }
  if (path != "/openapi/v3")
    return std::nullopt;
  return json{{"paths", std::move(all)}};
}

std::optional<json> make_discovery_document(const resource_registry& types,
                                            const std::string& path) {
  if (path == "/version")
    return version_info();
  if (path == "/api")
    return json{{"kind", "APIVersions"}, {"versions", {"v1"}}};
  if (path == "/apis")
    return make_group_list(types);
  if (path.compare(0, 8, "/openapi") == 0)
    return make_openapi_document(types, path);
  for (const auto& [group, versions] : versions_by_served_group(types)) {
    auto root = group.empty() ? std::string("/api") : "/apis/" + group;
    if (path == root) {
      json out = make_api_group(group, versions);
      out["kind"] = "APIGroup";
      out["apiVersion"] = "v1";
      return out;
    }
    for (const auto& v : versions)
      if (path == root + "/" + v)
        return make_resource_list(types, group, v);
  }
  return std::nullopt;
}

} // namespace

std::optional<http::response>
serve_openapi_v2_protobuf_if_asked(const http::request& r) {
  if (r.path != "/openapi/v2" || !wants_openapi_protobuf(r))
    return std::nullopt;
  http::response out;
  out.content_type = "application/com.github.proto-openapi.spec.v2.v1.0"
                     "+protobuf";
  out.body = make_empty_openapi_v2_protobuf();
  return out;
}

std::optional<http::response>
serve_discovery_or_health_if_path(const resource_registry& types,
                                  std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  http::response out;
  for (auto health : {"/healthz", "/readyz", "/livez"})
    if (path == health) {
      out.content_type = "text/plain; charset=utf-8";
      out.body = "ok";
      return out;
    }
  // Objects are by far the most common, and their paths are longer.
  if (path.compare(0, 5, "/api/") == 0 && path != "/api/v1")
    return std::nullopt;
  if (path.compare(0, 6, "/apis/") == 0
      && std::count(path.begin(), path.end(), '/') > 3)
    return std::nullopt;
  auto d = make_discovery_document(types, path);
  if (!d)
    return std::nullopt;
  out.body = to_text(*d) + "\n";
  return out;
}

} // namespace troupe::k8s::apiserver
