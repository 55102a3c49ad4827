#include "k8s/apiserver/discovery/discovery.hpp"
#include "k8s/general/architecture.hpp"
#include "k8s/json.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(discovery_test)

namespace {

resource_ptr custom_version(const std::string& version) {
  served_resource out;
  out.name = {"x.io", version, "things", "Thing"};
  out.singular = "thing";
  out.bucket = "things.x.io";
  out.custom = true;
  out.has_scale = true;
  out.categories = {"all"};
  return std::make_shared<const served_resource>(out);
}

/// The document at `path`, or null.
json document(const std::string& path, const resource_registry& types = {}) {
  auto r = serve_discovery_or_health_if_path(types, path);
  return r ? json::parse(r->body) : json();
}

/// The entry of a resource in the list at `path`, or null.
json entry_of(const std::string& path, const std::string& name,
              const resource_registry& types = {}) {
  const auto list = document(path, types);
  for (const auto& e : list.at("resources"))
    if (e["name"] == name)
      return e;
  return nullptr;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_version_names_the_machine) {
  BOOST_TEST(document("/version")["platform"]
             == "linux/" + host_architecture());
}

BOOST_AUTO_TEST_CASE(every_document_says_what_it_is) {
  struct row {
    const char* path;
    const char* pointer;
    const char* value; ///< "" if the path is none of these.
  };
  // clang-format off
  const row rows[] = {
      {"/version", "/major", "1"},
      {"/api", "/kind", "APIVersions"},
      {"/api/", "/versions/0", "v1"},
      {"/api/v1", "/kind", "APIResourceList"},
      {"/api/v1", "/groupVersion", "v1"},
      {"/apis", "/kind", "APIGroupList"},
      {"/apis/", "/kind", "APIGroupList"},
      {"/apis/apps", "/kind", "APIGroup"},
      {"/apis/apps", "/preferredVersion/groupVersion", "apps/v1"},
      {"/apis/apps/v1", "/groupVersion", "apps/v1"},
      {"/apis/apps/v1/", "/kind", "APIResourceList"},
      {"/openapi/v2", "/swagger", "2.0"},
      {"/openapi/v3", "/paths/apis~1apps~1v1/serverRelativeURL", "/openapi/v3/apis/apps/v1"},
      {"/openapi/v3/api/v1", "/openapi", "3.0.0"},
      {"/", "", ""},
      {"/nothing", "", ""},
      {"/api/v2", "", ""},
      {"/api/v1/pods", "", ""},
      {"/apis/none", "", ""},
      {"/apis/apps/v2", "", ""},
      {"/apis/apps/v1/deployments", "", ""},
      {"/openapi", "", ""},
      {"/openapi/v3/apis/none/v1", "", ""},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto found = document(r.path);
    BOOST_TEST(found.is_null() == !*r.value, r.path);
    if (!found.is_null())
      BOOST_TEST(found.value(json::json_pointer(r.pointer), "") == r.value,
                 r.path << r.pointer);
  }
}

BOOST_AUTO_TEST_CASE(openapi_v2_is_protobuf_for_who_asks_for_that) {
  const std::string protobuf =
      "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  struct row {
    std::string path;
    std::string accept;
    bool is_protobuf;
  } rows[] = {
      {"/openapi/v2", protobuf, true},
      {"/openapi/v2", protobuf + ", application/json", true},
      {"/openapi/v2", "application/json, " + protobuf, false},
      {"/openapi/v2", "*/*", false},
      {"/openapi/v2", "", false},
      {"/openapi/v3", protobuf, false},
  };
  for (const auto& r : rows) {
    http::request request;
    request.path = r.path;
    request.headers["accept"] = r.accept;
    auto answer = serve_openapi_v2_protobuf_if_asked(request);
    BOOST_TEST(answer.has_value() == r.is_protobuf, r.path << " " << r.accept);
    if (!answer)
      continue;
    BOOST_TEST(answer->content_type
               == "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    // swagger: "2.0", info: {title: "Kubernetes", version: "v1.37.2"}
    BOOST_TEST(answer->body
               == "\x0a\x03"
                  "2.0\x12\x15\x0a\x0aKubernetes\x12\x07v1.37.2");
  }
}

BOOST_AUTO_TEST_CASE(health_is_plain_text) {
  for (auto path : {"/healthz", "/readyz", "/livez", "/livez/"}) {
    auto r = serve_discovery_or_health_if_path({}, path);
    BOOST_REQUIRE(r);
    BOOST_TEST(r->status == 200);
    BOOST_TEST(r->body == "ok");
    BOOST_TEST(r->content_type == "text/plain; charset=utf-8");
  }
}

BOOST_AUTO_TEST_CASE(the_core_group_is_in_no_list_of_groups) {
  std::set<std::string> names;
  const auto list = document("/apis");
  for (const auto& group : list["groups"])
    BOOST_TEST(names.insert(group["name"]).second);
  BOOST_TEST(names.count("") == 0u);
  BOOST_TEST(names.count("batch") == 1u);
}

BOOST_AUTO_TEST_CASE(a_resource_is_described_as_clients_need_it) {
  struct row {
    const char* path;
    const char* name;
    json described; ///< Some fields; null if there is no such entry.
  };
  json change{"get", "patch", "update"};
  // clang-format off
  const row rows[] = {
      {"/api/v1", "pods", {{"kind", "Pod"}, {"namespaced", true}, {"singularName", "pod"}, {"shortNames", {"po"}}, {"categories", {"all"}},
        {"verbs", {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}}}},
      {"/api/v1", "pods/status", {{"kind", "Pod"}, {"singularName", ""}, {"verbs", change}}},
      {"/api/v1", "pods/binding", {{"kind", "Binding"}, {"verbs", {"create"}}}},
      {"/api/v1", "pods/log", {{"kind", "Pod"}, {"verbs", {"get"}}}},
      {"/api/v1", "pods/exec", {{"kind", "PodExecOptions"}, {"verbs", {"create", "get"}}}},
      {"/api/v1", "pods/attach", {{"kind", "PodAttachOptions"}, {"verbs", {"create", "get"}}}},
      {"/api/v1", "pods/portforward", {{"kind", "PodPortForwardOptions"}, {"verbs", {"create", "get"}}}},
      {"/api/v1", "pods/scale", nullptr},
      {"/api/v1", "namespaces", {{"namespaced", false}, {"shortNames", {"ns"}}}},
      {"/api/v1", "configmaps/status", nullptr},
      {"/api/v1", "services/log", nullptr},
      {"/api/v1", "deployments", nullptr},
      {"/apis/apps/v1", "deployments", {{"kind", "Deployment"}}},
      {"/apis/x.io/v1", "things", {{"kind", "Thing"}, {"singularName", "thing"}, {"categories", {"all"}}}},
      {"/apis/x.io/v1", "things/scale", {{"kind", "Scale"}, {"group", "autoscaling"}, {"version", "v1"}, {"verbs", change}}},
      {"/apis/x.io/v1", "things/status", nullptr},
  };
  // clang-format on
  resource_registry types;
  types.replace_custom_resource("things.x.io", {custom_version("v1")});
  for (const auto& r : rows) {
    auto entry = entry_of(r.path, r.name, types);
    BOOST_TEST(entry.is_null() == r.described.is_null(), r.name);
    for (const auto& [key, value] : r.described.items())
      BOOST_TEST(entry[key] == value, r.name << " " << key);
  }
  BOOST_TEST(
      !entry_of("/apis/x.io/v1", "things", types).contains("shortNames"));
}

BOOST_AUTO_TEST_CASE(the_most_stable_and_newest_version_is_preferred) {
  struct row {
    std::vector<const char*> served;
    std::vector<const char*> listed;
  };
  const row rows[] = {
      {{"v1"}, {"v1"}},
      {{"v1", "v2"}, {"v2", "v1"}},
      {{"v1", "v1beta1", "v2alpha1"}, {"v1", "v1beta1", "v2alpha1"}},
      {{"v1beta2", "v1beta10"}, {"v1beta10", "v1beta2"}},
      {{"v10", "v9"}, {"v10", "v9"}},
      {{"foo", "bar", "v1alpha1"}, {"v1alpha1", "bar", "foo"}},
  };
  for (const auto& r : rows) {
    resource_registry types;
    std::vector<resource_ptr> versions;
    for (const auto* v : r.served)
      versions.push_back(custom_version(v));
    types.replace_custom_resource("things.x.io", versions);
    const auto group = document("/apis/x.io", types);
    BOOST_TEST(group["preferredVersion"]["version"] == r.listed.front());
    json listed = json::array();
    for (const auto& v : group["versions"])
      listed.push_back(v["version"]);
    BOOST_TEST(listed == json(r.listed), listed);
  }
}

BOOST_AUTO_TEST_SUITE_END()
