#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(builtin_resources_test)

BOOST_AUTO_TEST_CASE(each_resource_has_a_rule_for_names) {
  server_fixture s;
  auto roles = crd();
  roles["metadata"]["name"] = "trainingroles.x.io";
  roles["spec"]["names"] = {{"plural", "trainingroles"},
                            {"kind", "TrainingRole"}};
  BOOST_REQUIRE(s.post(crds, roles).status == 201);
  const std::string subdomain = "a lowercase RFC 1123 subdomain";
  const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/";
  struct row {
    std::string path, name;
    std::string error; ///< "": none.
  } rows[] = {
      {"/apis/x.io/v1/namespaces/default/trainingroles", "Big", subdomain},
      {"/apis/x.io/v1/namespaces/default/trainingroles", "a.b", ""},
      {maps, "Big", subdomain},
      {maps, "1a", ""},
      {"/api/v1/namespaces/default/services", "a.b", "must not contain dots"},
      {"/api/v1/namespaces/default/services", "1a", ""},
      {"/api/v1/namespaces/default/services", "Big",
       "a lowercase RFC 1123 label"},
      {rbac + "clusterroles", "system:Big", ""},
      {"/api/v1/namespaces/default/events", "Pod.", ""},
      {rbac + "clusterroles", "..", "may not be '..'"},
      {rbac + "clusterroles", "a%b", "may not contain '%'"},
      {rbac + "clusterrolebindings", "a/b", "may not contain '/'"},
      {rbac + "namespaces/default/roles", "system:Big", ""},
      {rbac + "namespaces/default/rolebindings", ".", "may not be '.'"},
  };
  for (const auto& r : rows) {
    // Custom resources have to say what they are.
    bool custom = r.path.find("x.io") != std::string::npos;
    auto a =
        s.post(r.path, {{"apiVersion", custom ? "x.io/v1" : ""},
                        {"kind", custom ? "TrainingRole" : ""},
                        {"metadata", {{"name", r.name}}},
                        {"spec", {{"size", 1}, {"ports", {{{"port", 80}}}}}}});
    BOOST_TEST_CONTEXT(r.path << " " << r.name << ": " << a.body) {
      BOOST_TEST(a.status == (r.error.empty() ? 201 : 422));
      if (!r.error.empty())
        BOOST_TEST(a.says("metadata.name: Invalid value: \"" + r.name
                          + "\": " + r.error));
    }
  }
}

BOOST_AUTO_TEST_CASE(plain_data_of_a_secret_becomes_data) {
  server_fixture s;
  const std::string path = "/api/v1/namespaces/default/secrets";
  auto secret = [](json data, json plain) {
    json out{{"apiVersion", "v1"}, {"kind", "Secret"}};
    out["metadata"] = {{"name", "s"}};
    if (!data.is_null())
      out["data"] = std::move(data);
    if (!plain.is_null())
      out["stringData"] = std::move(plain);
    return out;
  };
  auto check = [&](const server_fixture::answer& a, const json& data) {
    BOOST_TEST(a.status < 300, a.message());
    for (const auto& got : {a.body, s.get(path + "/s").body}) {
      BOOST_TEST(got.value("data", json()) == data);
      BOOST_TEST(!got.contains("stringData"));
    }
  };
  // "abc", "def" and "" in base64.
  check(s.post(path, secret({{"a", "ZGVm"}, {"b", "ZGVm"}}, {{"a", "abc"}})),
        {{"a", "YWJj"}, {"b", "ZGVm"}});
  check(s.put(path + "/s", secret(nullptr, {{"c", "def"}, {"e", ""}})),
        {{"c", "ZGVm"}, {"e", ""}});
  check(s.merge(path + "/s", {{"stringData", {{"a", "abc"}}}}),
        {{"a", "YWJj"}, {"c", "ZGVm"}, {"e", ""}});
  check(s.call("PATCH", path + "/s", {{"stringData", {{"c", "abc"}}}},
               "application/strategic-merge-patch+json"),
        {{"a", "YWJj"}, {"c", "YWJj"}, {"e", ""}});
  check(
      s.call(
          "PATCH", path + "/s",
          {{{"op", "add"}, {"path", "/stringData"}, {"value", {{"j", "def"}}}}},
          "application/json-patch+json"),
      {{"a", "YWJj"}, {"c", "YWJj"}, {"e", ""}, {"j", "ZGVm"}});
  check(
      s.call("PATCH", path + "/s?fieldManager=me",
             secret(nullptr, {{"k", "abc"}}), "application/apply-patch+yaml"),
      {{"a", "YWJj"}, {"c", "YWJj"}, {"e", ""}, {"j", "ZGVm"}, {"k", "YWJj"}});
  check(s.put(path + "/s", secret(nullptr, json::object())), nullptr);
  BOOST_TEST(s.put(path + "/s", secret(nullptr, {{"a", 1}})).status == 400);
}

BOOST_AUTO_TEST_SUITE_END()
