#include "tests/k8s/apiserver/rbac_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(cluster_role_aggregation_test)

namespace {

const std::string cluster_roles = rbac + "/clusterroles";

json rule_for(const char* resource) {
  return {{"verbs", {"get"}}, {"apiGroups", {""}}, {"resources", {resource}}};
}

json role_for(const char* name, const char* resource, json labels) {
  return {{"metadata", {{"name", name}, {"labels", std::move(labels)}}},
          {"rules", json::array({rule_for(resource)})}};
}

} // namespace

BOOST_AUTO_TEST_CASE(aggregated_roles_have_the_rules_of_those_they_select) {
  rbac_fixture f;
  auto rules = [&](const char* name) {
    std::string out;
    auto role = f.get(cluster_roles + "/" + name).body;
    for (const auto& rule : array_at(role, {"rules"}))
      out += rule["resources"][0].get<std::string>() + " ";
    return out;
  };
  auto sum = [](const char* name, json selector, json labels) {
    return json{
        {"metadata", {{"name", name}, {"labels", std::move(labels)}}},
        {"rules", json::array()},
        {"aggregationRule",
         {{"clusterRoleSelectors", json::array({std::move(selector)})}}}};
  };
  f.post(cluster_roles, role_for("a", "pods", {{"to", "sum"}}));
  f.post(cluster_roles,
         sum("sum", {{"matchLabels", {{"to", "sum"}}}}, {{"to", "all"}}));
  BOOST_TEST(rules("sum") == "pods ");
  f.post(cluster_roles,
         sum("total",
             {{"matchExpressions",
               {{{"key", "to"}, {"operator", "In"}, {"values", {"all"}}}}}},
             json::object()));
  f.post(cluster_roles, role_for("b", "nodes", {{"to", "sum"}}));
  f.post(cluster_roles, role_for("c", "events", {{"to", "other"}}));
  BOOST_TEST(rules("sum") == "pods nodes ");
  BOOST_TEST(rules("total") == "pods nodes ");
  f.drop(cluster_roles + "/a");
  BOOST_TEST(rules("sum") == "nodes ");
  BOOST_TEST(rules("total") == "nodes ");
}

BOOST_AUTO_TEST_CASE(roles_of_people_are_added_to_those_of_kubernetes) {
  for (bool with_controllers : {true, false}) {
    rbac_fixture f{with_controllers};
    f.make_cluster_role(
        "jobs", R"([{"verbs":["create"],
    "apiGroups":["kubeflow.org"],"resources":["tfjobs"]}])",
        {{"rbac.authorization.k8s.io/aggregate-to-edit", "true"}});
    f.bind("ClusterRole", "edit", "jane");
    f.bind("ClusterRole", "view", "joe");
    f.bind("ClusterRole", "admin", "ann");
    auto create = [&](const char* who) {
      f.ask_as(who);
      return f
          .post("/apis/kubeflow.org/v1/namespaces/default/tfjobs",
                json::object())
          .status;
    };
    BOOST_TEST(create("jane") == 404); // It may, but there is no such thing.
    BOOST_TEST(create("ann") == 404);
    BOOST_TEST(create("joe") == 403);
  }
}

BOOST_AUTO_TEST_SUITE_END()
