#include "k8s/apiserver/access/authorization.hpp"
#include "tests/k8s/apiserver/rbac_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(authorization_test)

namespace {

std::string attributes(const std::string& method, const std::string& target) {
  server_fixture f;
  auto a = parse_access_attributes(f.request(method, target));
  if (!a.is_resource)
    return a.verb + " " + a.path;
  return a.verb + " " + a.api_group + "|" + a.resource + "|" + a.subresource
         + "|" + a.ns + "|" + a.name;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_path_says_what_is_wanted) {
  struct row {
    const char* method;
    const char* target;
    const char* wanted;
  } rows[] = {
      {"GET", "/", "get /"},
      {"GET", "/api/v1", "get /api/v1"},
      {"GET", "/apis/apps/v1", "get /apis/apps/v1"},
      {"POST", "/healthz", "post /healthz"},
      {"GET", "/api/v1/pods", "list |pods|||"},
      {"GET", "/api/v1/pods?watch=true", "watch |pods|||"},
      {"GET", "/api/v1/namespaces/a/pods", "list |pods||a|"},
      {"HEAD", "/api/v1/namespaces/a/pods/p", "get |pods||a|p"},
      // It is answered with the object.
      {"GET", "/api/v1/namespaces/a/pods/p?watch=true", "get |pods||a|p"},
      {"GET", "/api/v1/namespaces/a/pods/p/log?watch=true",
       "get |pods|log|a|p"},
      {"GET", "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp",
       "list |pods||a|p"},
      {"GET",
       "/api/v1/namespaces/a/pods?watch=1&fieldSelector=metadata.name%3Dp",
       "watch |pods||a|p"},
      {"POST", "/api/v1/namespaces/a/pods", "create |pods||a|"},
      {"PUT", "/api/v1/namespaces/a/pods/p/status", "update |pods|status|a|p"},
      {"PATCH", "/api/v1/namespaces/a/pods/p", "patch |pods||a|p"},
      {"DELETE", "/api/v1/namespaces/a/pods/p", "delete |pods||a|p"},
      {"DELETE", "/api/v1/namespaces/a/pods", "deletecollection |pods||a|"},
      {"GET", "/api/v1/namespaces/a/pods/p/exec?command=x",
       "get |pods|exec|a|p"},
      {"POST", "/api/v1/namespaces/a/pods/p/exec", "create |pods|exec|a|p"},
      {"GET", "/api/v1/namespaces", "list |namespaces|||"},
      {"GET", "/api/v1/namespaces/a", "get |namespaces||a|a"},
      {"PUT", "/api/v1/namespaces/a/finalize",
       "update |namespaces|finalize|a|a"},
      {"GET", "/apis/kubeflow.org/v1/namespaces/a/tfjobs/j/status",
       "get kubeflow.org|tfjobs|status|a|j"},
      {"POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
       "create rbac.authorization.k8s.io|clusterroles|||"},
  };
  for (const auto& r : rows)
    BOOST_TEST(attributes(r.method, r.target) == r.wanted, r.target);
}

BOOST_AUTO_TEST_CASE(who_may_not_is_told_as_by_kubernetes) {
  rbac_fixture f;
  f.ask_as("system:serviceaccount:default:a");
  struct row {
    const char* method;
    const char* target;
    const char* message;
  } rows[] = {
      {"GET", "/api/v1/namespaces/default/pods",
       "pods is forbidden: User \"system:serviceaccount:default:a\" cannot "
       "list resource \"pods\" in API group \"\" in the namespace \"default\""},
      {"GET", "/api/v1/nodes",
       "nodes is forbidden: User \"system:serviceaccount:default:a\" cannot "
       "list resource \"nodes\" in API group \"\" at the cluster scope"},
      {"PUT", "/apis/apps/v1/namespaces/x/deployments/d/scale",
       "deployments.apps \"d\" is forbidden: User "
       "\"system:serviceaccount:default:a\" cannot update resource "
       "\"deployments/scale\" in API group \"apps\" in the namespace \"x\""},
      {"GET", "/metrics",
       "forbidden: User \"system:serviceaccount:default:a\" cannot get path "
       "\"/metrics\""},
      // Also of what is not there.
      {"DELETE", "/apis/none/v1/things/t",
       "things.none \"t\" is forbidden: User "
       "\"system:serviceaccount:default:a\" cannot delete resource \"things\" "
       "in API group \"none\" at the cluster scope"},
  };
  for (const auto& r : rows) {
    auto a = f.call(r.method, r.target, json::object());
    BOOST_TEST(a.status == 403, r.target);
    BOOST_TEST(a.reason() == "Forbidden");
    BOOST_TEST(a.message() == r.message);
  }
  BOOST_TEST(f.call("GET", rows[2].target)["/details/group"] == "apps");
  BOOST_TEST(f.get("/version").status == 200);
  BOOST_TEST(f.get("/apis/apps/v1").status == 200);
  BOOST_TEST(f.watch(pods)->refused == 403);
}

BOOST_AUTO_TEST_CASE(rights_come_and_go_with_bindings) {
  rbac_fixture f;
  f.ask_as("jane");
  BOOST_TEST(f.get(pods).status == 403);
  f.make_role("r", R"([{"verbs":["list","create"],"apiGroups":[""],
                        "resources":["pods"]}])");
  f.bind("Role", "r", "jane");
  BOOST_TEST(f.get(pods).status == 200);
  BOOST_TEST(f.post(pods, pod("p")).status == 201);
  BOOST_TEST(f.get(pods + "/p").status == 403);
  BOOST_TEST(f.get("/api/v1/pods").status == 403);
  f.user = nullptr;
  f.drop(rbac + "/namespaces/default/rolebindings/r-jane");
  f.ask_as("jane");
  BOOST_TEST(f.get(pods).status == 403);
  f.ask_as("root", {"system:masters"});
  BOOST_TEST(f.get(pods).status == 200);
}

namespace {

/// Jane, whose role has this verb only, writes an object that is not there.
void check_creation_needs_its_right(
    const std::string& verb, const std::string& resource,
    const std::string& name,
    const std::function<server_fixture::answer(rbac_fixture&)>& write) {
  rbac_fixture f;
  auto rules = R"([{"verbs":[")" + verb + R"("],"apiGroups":[""],
                    "resources":[")"
               + resource + R"("]}])";
  f.make_role("r", rules.c_str());
  f.bind("Role", "r", "jane");
  f.ask_as("jane");
  BOOST_TEST(write(f).message()
             == resource + " \"" + name
                    + "\" is forbidden: User \"jane\" cannot create resource "
                      "\""
                    + resource
                    + "\" in API group \"\" in the namespace \"default\"");
  f.user = nullptr;
  BOOST_TEST(write(f).status == 201);
  f.ask_as("jane");
  BOOST_TEST(write(f).status == 200);
}

} // namespace

BOOST_AUTO_TEST_CASE(who_applies_what_is_not_there_creates_it) {
  check_creation_needs_its_right(
      "patch", "configmaps", "m", [](rbac_fixture& f) {
        return f.call("PATCH", maps + "/m?fieldManager=me",
                      {{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", {{"name", "m"}}}},
                      "application/apply-patch+yaml");
      });
}

BOOST_AUTO_TEST_CASE(who_updates_what_is_not_there_creates_it) {
  check_creation_needs_its_right(
      "update", "limitranges", "l", [](rbac_fixture& f) {
        return f.call("PUT", "/api/v1/namespaces/default/limitranges/l",
                      {{"apiVersion", "v1"},
                       {"kind", "LimitRange"},
                       {"metadata", {{"name", "l"}}}});
      });
}

BOOST_AUTO_TEST_CASE(without_authorization_everybody_may) {
  server_fixture f;
  f.user = std::make_shared<user_info>(user_info{"jane"});
  BOOST_TEST(f.get(pods).status == 200);
  auto r = f.request("POST", "/apis/authentication.k8s.io/v1/"
                             "selfsubjectreviews");
  r.headers["impersonate-user"] = "joe";
  r.body = "{}";
  BOOST_TEST(f.ask(r)["/status/userInfo/username"] == "joe");
}

BOOST_AUTO_TEST_CASE(who_may_impersonate_asks_as_another) {
  rbac_fixture f;
  f.make_cluster_role("as-joe",
                      R"([{"verbs":["impersonate"],"apiGroups":[""],
                           "resources":["users"],"resourceNames":["joe"]},
                          {"verbs":["impersonate"],"apiGroups":[""],
                           "resources":["groups"],"resourceNames":["dev"]},
                          {"verbs":["impersonate"],"apiGroups":[""],
                           "resources":["serviceaccounts"]}])");
  f.bind("ClusterRole", "as-joe", "jane", true);
  struct row {
    const char* who;
    std::map<std::string, std::string> headers;
    int status;
    const char* groups; ///< Or the message.
  } rows[] = {
      {"jane",
       {{"impersonate-user", "joe"}},
       201,
       R"(["system:authenticated"])"},
      {"jane",
       {{"impersonate-user", "joe"}, {"impersonate-group", "dev"}},
       201,
       R"(["dev","system:authenticated"])"},
      {"jane",
       {{"impersonate-user", "system:serviceaccount:x:y"}},
       201,
       R"(["system:serviceaccounts","system:serviceaccounts:x",)"
       R"("system:authenticated"])"},
      {"jane",
       {{"impersonate-user", "joe"}, {"impersonate-group", "dev, ops"}},
       403,
       "groups \"ops\" is forbidden: User \"jane\" cannot impersonate resource "
       "\"groups\" in API group \"\" at the cluster scope"},
      {"jane",
       {{"impersonate-user", "jim"}},
       403,
       "users \"jim\" is forbidden: User \"jane\" cannot impersonate resource "
       "\"users\" in API group \"\" at the cluster scope"},
      {"jane",
       {{"impersonate-user", "joe"}, {"impersonate-uid", "u"}},
       403,
       "uids.authentication.k8s.io \"u\" is forbidden: User \"jane\" cannot "
       "impersonate resource \"uids\" in API group \"authentication.k8s.io\" "
       "at the cluster scope"},
      {"jane",
       {{"impersonate-user", "joe"}, {"impersonate-extra-k", "v"}},
       403,
       "userextras.authentication.k8s.io \"v\" is forbidden: User \"jane\" "
       "cannot impersonate resource \"userextras/k\" in API group "
       "\"authentication.k8s.io\" at the cluster scope"},
      {"joe",
       {{"impersonate-user", "system:serviceaccount:x:y"}},
       403,
       "serviceaccounts \"y\" is forbidden: User \"joe\" cannot impersonate "
       "resource \"serviceaccounts\" in API group \"\" in the namespace "
       "\"x\""},
      {"jane",
       {{"impersonate-group", "dev"}, {"impersonate-uid", "007"}},
       400,
       "requested [{Group  dev    } {UID  007  authentication.k8s.io/v1  }] "
       "without impersonating a user; set Impersonate-User"},
  };
  for (const auto& r : rows) {
    f.ask_as(r.who);
    auto q = f.request("POST", "/apis/authentication.k8s.io/v1/"
                               "selfsubjectreviews");
    q.body = "{}";
    q.headers.insert(r.headers.begin(), r.headers.end());
    auto a = f.ask(q);
    BOOST_TEST(a.status == r.status, a.message());
    if (r.status == 201)
      BOOST_TEST(a["/status/userInfo/groups"].dump() == r.groups);
    else
      BOOST_TEST(a.message() == r.groups);
  }
}

BOOST_AUTO_TEST_SUITE_END()
