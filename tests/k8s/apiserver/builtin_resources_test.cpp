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
      {"/api/v1/namespaces/default/services", "a.b", "a DNS-1035 label"},
      {"/api/v1/namespaces/default/services", "1a", "a DNS-1035 label"},
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

BOOST_AUTO_TEST_SUITE_END()
