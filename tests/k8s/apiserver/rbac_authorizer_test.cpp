#include "k8s/apiserver/rbac_authorizer.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(rbac_authorizer_test)

namespace {

policy_rule rule(const char* text) {
  return read_policy_rules({{"rules", {json::parse(text)}}}).at(0);
}

std::vector<policy_rule> rules(const char* text) {
  return read_policy_rules({{"rules", json::parse(text)}});
}

access_attributes of(const char* verb, const char* group, const char* resource,
                     const char* sub = "", const char* name = "",
                     const char* ns = "") {
  access_attributes out;
  out.verb = verb;
  out.api_group = group;
  out.resource = resource;
  out.subresource = sub;
  out.name = name;
  out.ns = ns;
  return out;
}

access_attributes path(const char* verb, const char* where) {
  access_attributes out;
  out.is_resource = false;
  out.verb = verb;
  out.path = where;
  return out;
}

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

BOOST_AUTO_TEST_CASE(a_rule_allows_what_it_names) {
  const auto* pods = R"({"verbs":["get","list"],"apiGroups":[""],
                         "resources":["pods","pods/log"]})";
  const auto* named = R"({"verbs":["get","update"],"apiGroups":["apps"],
                          "resources":["*"],"resourceNames":["x","y"]})";
  const auto* scales = R"({"verbs":["*"],"apiGroups":["*"],
                           "resources":["*/scale"]})";
  const auto* all = R"({"verbs":["*"],"apiGroups":["*"],"resources":["*"]})";
  const auto* paths = R"({"verbs":["get"],
                          "nonResourceURLs":["/healthz","/logs/*"]})";
  const auto* all_paths = R"({"verbs":["get"],"nonResourceURLs":["*"]})";
  struct row {
    const char* rule;
    access_attributes wanted;
    bool allowed;
  } rows[] = {
      {pods, of("get", "", "pods"), true},
      {pods, of("list", "", "pods"), true},
      {pods, of("delete", "", "pods"), false},
      {pods, of("get", "apps", "pods"), false},
      {pods, of("get", "", "services"), false},
      {pods, of("get", "", "pods", "log"), true},
      {pods, of("get", "", "pods", "exec"), false},
      {pods, of("get", "", "pods", "", "any"), true},
      {pods, path("get", "/healthz"), false},
      {named, of("get", "apps", "deployments", "", "x"), true},
      {named, of("update", "apps", "deployments", "status", "y"), true},
      {named, of("get", "apps", "deployments", "", "z"), false},
      {named, of("get", "apps", "deployments"), false}, // No certain one.
      {scales, of("update", "apps", "deployments", "scale"), true},
      {scales, of("update", "apps", "deployments", "status"), false},
      {scales, of("update", "apps", "deployments"), false},
      {all, of("delete", "apps", "deployments", "scale", "z"), true},
      {all, of("", "", ""), true},
      {all, path("get", "/healthz"), false},
      {paths, path("get", "/healthz"), true},
      {paths, path("post", "/healthz"), false},
      {paths, path("get", "/healthz/"), false},
      {paths, path("get", "/logs/"), true},
      {paths, path("get", "/logs/a/b"), true},
      {paths, path("get", "/logs"), false},
      {paths, of("get", "", "pods"), false},
      {all_paths, path("get", "/x/y"), true},
  };
  for (const auto& r : rows)
    BOOST_TEST(rule_allows(rule(r.rule), r.wanted) == r.allowed,
               r.rule << " " << r.wanted.verb << " " << r.wanted.resource << "/"
                      << r.wanted.subresource << r.wanted.path);
}

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
    BOOST_TEST(authorize(policy, r.user, r.wanted).allowed == r.allowed, about);
    // It goes with the binding, and with the role.
    policy.put_binding(
        bound(r.binding.ns.c_str(), "b", "ClusterRole", "c", {}));
    BOOST_TEST(!authorize(policy, r.user, r.wanted).allowed, about);
    policy.put_binding(r.binding);
    policy.remove_binding(r.binding.ns, "b");
    BOOST_TEST(!authorize(policy, r.user, r.wanted).allowed, about);
    policy.put_binding(r.binding);
    policy.remove_role("", "c");
    policy.remove_role("x", "r");
    BOOST_TEST(!authorize(policy, r.user, r.wanted).allowed, about);
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
  BOOST_TEST(authorize(policy, jane, of("get", "", "pods")).reason()
             == "RBAC: allowed by ClusterRoleBinding \"all\" of ClusterRole "
                "\"c\" to Group \"dev\"");
  BOOST_TEST(
      authorize(policy, account, of("get", "", "pods", "", "", "x")).reason()
      == "RBAC: allowed by RoleBinding \"some/x\" of ClusterRole \"c\" to "
         "ServiceAccount \"a/default\"");
  BOOST_TEST(authorize(policy, jane, of("list", "", "pods")).reason()
             == "RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not "
                "found");
  BOOST_TEST(
      authorize(policy, jane, of("list", "", "pods", "", "", "x")).reason()
      == "RBAC: [clusterrole.rbac.authorization.k8s.io \"gone\" not found, "
         "role.rbac.authorization.k8s.io \"gone\" not found]");
  BOOST_TEST(authorize(policy, account, of("list", "", "pods")).reason() == "");
}

BOOST_AUTO_TEST_CASE(masters_may_do_everything) {
  user_info master{"any", {"system:masters"}};
  BOOST_TEST(authorize({}, master, of("get", "", "pods")).allowed);
  BOOST_TEST(authorize({}, master, path("get", "/x")).allowed);
  std::vector<std::string> errors;
  auto all = rules_of({}, master, "", errors);
  BOOST_TEST(rules_not_covered(all, rules(R"([{"verbs":["x"],"apiGroups":["y"],
                                 "resources":["z/s"]},
                                {"verbs":["get"],"nonResourceURLs":["/a"]}])"))
                 .empty());
}

BOOST_AUTO_TEST_CASE(rules_cover_others_or_leave_some) {
  struct row {
    const char* owned;
    const char* wanted;
    const char* missing; ///< The first one, or "".
  } rows[] = {
      {R"([])", R"([])", ""},
      {R"([])", R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])",
       R"({APIGroups:[""], Resources:["pods"], Verbs:["get"]})"},
      {R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"]},
           {"verbs":["list"],"apiGroups":[""],"resources":["pods"]}])",
       R"([{"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]}])",
       ""},
      {R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])",
       R"([{"verbs":["*"],"apiGroups":[""],"resources":["pods"]}])",
       R"({APIGroups:[""], Resources:["pods"], Verbs:["*"]})"},
      {R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])",
       R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods/log"]}])",
       R"({APIGroups:[""], Resources:["pods/log"], Verbs:["get"]})"},
      {R"([{"verbs":["get"],"apiGroups":[""],"resources":["*/log"]}])",
       R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods/log"]}])", ""},
      {R"([{"verbs":["get"],"apiGroups":["*"],"resources":["*"]}])",
       R"([{"verbs":["get"],"apiGroups":["x"],"resources":["y","y/z"],
            "resourceNames":["n"]}])",
       ""},
      {R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"],
            "resourceNames":["a"]}])",
       R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"],
            "resourceNames":["a","b"]}])",
       R"({APIGroups:[""], Resources:["pods"], ResourceNames:["b"], )"
       R"(Verbs:["get"]})"},
      {R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"],
            "resourceNames":["a"]}])",
       R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])",
       R"({APIGroups:[""], Resources:["pods"], Verbs:["get"]})"},
      {R"([{"verbs":["get"],"nonResourceURLs":["/a/*"]}])",
       R"([{"verbs":["get"],"nonResourceURLs":["/a/b"]}])", ""},
      {R"([{"verbs":["get"],"nonResourceURLs":["/a/*"]}])",
       R"([{"verbs":["get"],"nonResourceURLs":["/b"]}])",
       R"({NonResourceURLs:["/b"], Verbs:["get"]})"},
  };
  for (const auto& r : rows) {
    auto missing = rules_not_covered(rules(r.owned), rules(r.wanted));
    auto text = missing.empty() ? "" : to_compact_text(missing[0]);
    BOOST_TEST(text == r.missing, r.wanted);
  }
}

BOOST_AUTO_TEST_CASE(rules_read_as_they_are_written) {
  auto text = json::parse(R"([
    {"verbs":["get"],"apiGroups":[""],"resources":["pods"],
     "resourceNames":["a"]},
    {"verbs":["get"],"nonResourceURLs":["/a"]}])");
  BOOST_TEST(policy_rules_to_json(read_policy_rules({{"rules", text}}))
             == text);
  // Of any shape.
  BOOST_TEST(read_policy_rules({{"rules", "x"}}).empty());
  BOOST_TEST(read_policy_rules({{"rules", {1, {{"verbs", {1}}}}}}).size()
             == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
