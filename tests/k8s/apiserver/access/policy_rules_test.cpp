#include "k8s/apiserver/access/policy_rules.hpp"
#include "tests/k8s/apiserver/policy_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(policy_rules_test)

using policy_fixture::of;
using policy_fixture::path;
using policy_fixture::rules;

namespace {

policy_rule rule(const char* text) {
  return read_policy_rules({{"rules", {json::parse(text)}}}).at(0);
}

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
