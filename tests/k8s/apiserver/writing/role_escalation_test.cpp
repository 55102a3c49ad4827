#include "tests/k8s/apiserver/rbac_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(role_escalation_test)

namespace {

const std::string roles = rbac + "/namespaces/default/roles";
const std::string bindings = rbac + "/namespaces/default/rolebindings";

/// Jane may write roles and bindings in the namespace, and get pods.
struct escalation_fixture : rbac_fixture {
  escalation_fixture() {
    make_role("writer", R"([{"verbs":["*"],
      "apiGroups":["rbac.authorization.k8s.io"],
      "resources":["roles","rolebindings"],"resourceNames":[]},
      {"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])");
    make_cluster_role("get-pods", get_pods);
    make_cluster_role("get-secrets", get_secrets);
    bind("Role", "writer", "jane");
    // "*" of verbs would include escalate and bind.
    user = nullptr;
    auto r = get(roles + "/writer").body;
    r["rules"][0]["verbs"] = {"create", "update", "patch", "get"};
    put(roles + "/writer", r);
    ask_as("jane");
  }

  static json role(const char* rules) {
    return {{"metadata", {{"name", "r"}}}, {"rules", json::parse(rules)}};
  }

  static constexpr const char* get_pods =
      R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])";
  static constexpr const char* get_secrets =
      R"([{"verbs":["get","list"],"apiGroups":[""],"resources":["secrets"]}])";
};

} // namespace

BOOST_FIXTURE_TEST_CASE(nobody_grants_by_a_role_what_he_may_not,
                        escalation_fixture) {
  auto a = post(roles, role(get_secrets));
  BOOST_TEST(a.status == 403);
  BOOST_TEST(a.message()
             == "roles.rbac.authorization.k8s.io \"r\" is forbidden: user "
                "\"jane\" (groups=[\"system:authenticated\"]) is attempting to "
                "grant RBAC permissions not currently held:\n"
                "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}\n"
                "{APIGroups:[\"\"], Resources:[\"secrets\"], "
                "Verbs:[\"list\"]}");
  BOOST_TEST(post(roles, role(get_pods)).status == 201);
  BOOST_TEST(merge(roles + "/r", role(get_secrets)).status == 403);
  // What stays as it is grants nothing.
  BOOST_TEST(
      merge(roles + "/r", {{"metadata", {{"labels", {{"a", "b"}}}}}}).status
      == 200);
  make_role("escalate", R"([{"verbs":["escalate"],
    "apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"]}])");
  bind("Role", "escalate", "jane");
  BOOST_TEST(merge(roles + "/r", role(get_secrets)).status == 200);
}

BOOST_FIXTURE_TEST_CASE(nobody_binds_a_role_with_more_than_he_may,
                        escalation_fixture) {
  auto a = post(bindings, binding("b", "ClusterRole", "get-secrets", "joe"));
  BOOST_TEST(a.status == 403);
  BOOST_TEST(a.says("is attempting to grant RBAC permissions"), a.message());
  BOOST_TEST(
      post(bindings, binding("b", "ClusterRole", "get-pods", "joe")).status
      == 201);
  auto lost = post(bindings, binding("c", "Role", "gone", "joe"));
  BOOST_TEST(lost.status == 403);
  BOOST_TEST(lost.says("role.rbac.authorization.k8s.io \"gone\" not found"));
  make_role("bind", R"([{"verbs":["bind"],
    "apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterroles"],
    "resourceNames":["get-secrets"]}])");
  bind("Role", "bind", "jane");
  BOOST_TEST(
      post(bindings, binding("d", "ClusterRole", "get-secrets", "joe")).status
      == 201);
  BOOST_TEST(
      post(bindings, binding("e", "ClusterRole", "cluster-admin", "joe")).status
      == 403);
}

BOOST_FIXTURE_TEST_CASE(masters_and_the_process_grant_everything,
                        escalation_fixture) {
  ask_as("root", {"system:masters"});
  BOOST_TEST(post(roles, role(get_secrets)).status == 201);
  user = nullptr;
  BOOST_TEST(
      post(bindings, binding("b", "ClusterRole", "cluster-admin", "joe")).status
      == 201);
}

BOOST_FIXTURE_TEST_CASE(only_administrators_aggregate, escalation_fixture) {
  make_cluster_role("cluster-writer", R"([{"verbs":["create"],
    "apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterroles"]}])");
  bind("ClusterRole", "cluster-writer", "jane", true);
  auto a =
      post(rbac + "/clusterroles",
           {{"metadata", {{"name", "sum"}}},
            {"aggregationRule",
             {{"clusterRoleSelectors", {{{"matchLabels", {{"a", "b"}}}}}}}}});
  BOOST_TEST(a.status == 403);
  BOOST_TEST(a.says("must have cluster-admin privileges to use an "
                    "aggregationRule"));
}

BOOST_AUTO_TEST_SUITE_END()
