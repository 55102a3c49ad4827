#include "k8s/apiserver/access/rbac_authorizer.hpp"
#include "tests/k8s/apiserver/policy_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(rbac_authorizer_test)

using policy_fixture::of;
using policy_fixture::path;
using policy_fixture::rules;

namespace {

role_binding bound(const char* ns, const char* name, const char* kind,
                   const char* role,
                   std::vector<role_binding::subject> subjects) {
  return {ns, name, kind, role, std::move(subjects)};
}

const user_info jane{"jane", {"dev", "system:authenticated"}};
const user_info account{"system:serviceaccount:default:a",
                        {"system:serviceaccounts",
                         "system:serviceaccounts:default",
                         "system:authenticated"}};

} // namespace

BOOST_AUTO_TEST_CASE(a_binding_grants_a_role_to_its_subjects) {
  const auto* get_pods =
      R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])";
  auto in = [](const char* ns) { return of("get", "", "pods", "", "p", ns); };
  struct row {
    role_binding binding;
    const user_info& user;
    access_attributes wanted;
    bool allowed;
  } rows[] = {
      {bound("", "b", "ClusterRole", "c", {{"User", "jane", ""}}), jane,
       in("x"), true},
      {bound("", "b", "ClusterRole", "c", {{"User", "jane", ""}}), jane, in(""),
       true},
      {bound("", "b", "ClusterRole", "c", {{"User", "jan", ""}}), jane, in("x"),
       false},
      {bound("", "b", "ClusterRole", "c", {{"Group", "jane", ""}}), jane,
       in("x"), false},
      {bound("", "b", "ClusterRole", "c",
             {{"User", "joe", ""}, {"Group", "dev", ""}}),
       jane, in("x"), true},
      {bound("x", "b", "ClusterRole", "c", {{"User", "jane", ""}}), jane,
       in("x"), true},
      {bound("x", "b", "ClusterRole", "c", {{"User", "jane", ""}}), jane,
       in("y"), false},
      {bound("x", "b", "ClusterRole", "c", {{"User", "jane", ""}}), jane,
       in(""), false},
      {bound("x", "b", "Role", "r", {{"User", "jane", ""}}), jane, in("x"),
       true},
      {bound("y", "b", "Role", "r", {{"User", "jane", ""}}), jane, in("y"),
       false},
      {bound("", "b", "Role", "r", {{"User", "jane", ""}}), jane, in("x"),
       false},
      {bound("", "b", "ClusterRole", "c", {{"ServiceAccount", "a", "default"}}),
       account, in("x"), true},
      {bound("", "b", "ClusterRole", "c", {{"ServiceAccount", "a", "x"}}),
       account, in("x"), false},
      {bound("default", "b", "ClusterRole", "c", {{"ServiceAccount", "a", ""}}),
       account, in("default"), true},
      {bound("", "b", "ClusterRole", "c",
             {{"User", "system:serviceaccount:default:a", ""}}),
       account, in("x"), true},
      {bound("", "b", "ClusterRole", "c",
             {{"Group", "system:serviceaccounts:default", ""}}),
       account, in("x"), true},
      {bound("", "b", "ClusterRole", "gone", {{"User", "jane", ""}}), jane,
       in("x"), false},
  };
  for (const auto& r : rows) {
    rbac_policy policy;
    policy.put_role("", "c", rules(get_pods));
    policy.put_role("x", "r", rules(get_pods));
    policy.put_binding(r.binding);
    auto about = r.binding.ns + " " + r.binding.role_name + " "
                 + r.binding.subjects[0].name + " " + r.wanted.ns;
    BOOST_TEST(authorize_by_rbac(policy, r.user, r.wanted).allowed == r.allowed,
               about);
    // It goes with the binding, and with the role.
    policy.put_binding(
        bound(r.binding.ns.c_str(), "b", "ClusterRole", "c", {}));
    BOOST_TEST(!authorize_by_rbac(policy, r.user, r.wanted).allowed, about);
    policy.put_binding(r.binding);
    policy.remove_binding(r.binding.ns, "b");
    BOOST_TEST(!authorize_by_rbac(policy, r.user, r.wanted).allowed, about);
    policy.put_binding(r.binding);
    policy.remove_role("", "c");
    policy.remove_role("x", "r");
    BOOST_TEST(!authorize_by_rbac(policy, r.user, r.wanted).allowed, about);
  }
}

BOOST_AUTO_TEST_CASE(a_decision_says_why) {
  rbac_policy policy;
  policy.put_role(
      "", "c",
      rules(R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])"));
  policy.put_binding(bound("", "all", "ClusterRole", "c",
                           {{"User", "joe", ""}, {"Group", "dev", ""}}));
  policy.put_binding(bound("x", "some", "ClusterRole", "c",
                           {{"ServiceAccount", "a", "default"}}));
  policy.put_binding(
      bound("", "lost", "ClusterRole", "gone", {{"User", "jane", ""}}));
  policy.put_binding(
      bound("x", "lost", "Role", "gone", {{"User", "jane", ""}}));
  BOOST_TEST(authorize_by_rbac(policy, jane, of("get", "", "pods")).reason()
             == "RBAC: allowed by ClusterRoleBinding \"all\" of ClusterRole "
                "\"c\" to Group \"dev\"");
  BOOST_TEST(
      authorize_by_rbac(policy, account, of("get", "", "pods", "", "", "x"))
          .reason()
      == "RBAC: allowed by RoleBinding \"some/x\" of ClusterRole \"c\" to "
         "ServiceAccount \"a/default\"");
  BOOST_TEST(authorize_by_rbac(policy, jane, of("list", "", "pods")).reason()
             == "RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not "
                "found");
  BOOST_TEST(
      authorize_by_rbac(policy, jane, of("list", "", "pods", "", "", "x"))
          .reason()
      == "RBAC: [clusterrole.rbac.authorization.k8s.io \"gone\" not found, "
         "role.rbac.authorization.k8s.io \"gone\" not found]");
  BOOST_TEST(authorize_by_rbac(policy, account, of("list", "", "pods")).reason()
             == "");
}

BOOST_AUTO_TEST_CASE(masters_may_do_everything) {
  user_info master{"any", {"system:masters"}};
  BOOST_TEST(authorize_by_rbac({}, master, of("get", "", "pods")).allowed);
  BOOST_TEST(authorize_by_rbac({}, master, path("get", "/x")).allowed);
  std::vector<std::string> errors;
  auto all = rules_granted_to({}, master, "", errors);
  BOOST_TEST(rules_not_covered(all, rules(R"([{"verbs":["x"],"apiGroups":["y"],
                                 "resources":["z/s"]},
                                {"verbs":["get"],"nonResourceURLs":["/a"]}])"))
                 .empty());
}

BOOST_AUTO_TEST_SUITE_END()
