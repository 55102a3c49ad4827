#include "k8s/apiserver/access/bootstrap_roles.hpp"
#include "tests/k8s/apiserver/rbac_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(bootstrap_roles_test)

BOOST_AUTO_TEST_CASE(the_usual_roles_grant_the_usual_rights) {
  rbac_fixture f;
  for (const char* role : {"admin", "edit", "view"})
    f.bind("ClusterRole", role, role);
  f.bind("ClusterRole", "cluster-admin", "cluster-admin", true);
  struct row {
    const char* target;
    const char* method;
    const char* who; ///< Who may: the others may not.
  } rows[] = {
      {"/api/v1/namespaces/default/pods", "GET",
       "view edit admin cluster-admin"},
      {"/api/v1/namespaces/default/pods/p/log", "GET",
       "view edit admin cluster-admin"},
      {"/api/v1/namespaces/default/secrets", "GET", "edit admin cluster-admin"},
      {"/api/v1/namespaces/default/pods", "POST", "edit admin cluster-admin"},
      {"/api/v1/namespaces/default/serviceaccounts/default/token", "POST",
       "edit admin cluster-admin"},
      {"/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", "GET",
       "admin cluster-admin"},
      {"/api/v1/namespaces/kube-system/pods", "GET", "cluster-admin"},
      {"/api/v1/nodes", "GET", "cluster-admin"},
      {"/version", "GET", "nobody view edit admin cluster-admin"},
      {"/apis", "GET", "nobody view edit admin cluster-admin"},
      {"/metrics", "GET", "cluster-admin"},
      {"/apis/authentication.k8s.io/v1/selfsubjectreviews", "POST",
       "nobody view edit admin cluster-admin"},
      {"/apis/authentication.k8s.io/v1/tokenreviews", "POST", "cluster-admin"},
  };
  for (const auto& r : rows)
    for (const char* who :
         {"nobody", "view", "edit", "admin", "cluster-admin"}) {
      f.ask_as(who);
      auto may = f.call(r.method, r.target, json::object()).status != 403;
      auto all = " " + std::string{r.who} + " ";
      auto wanted = all.find(" " + std::string{who} + " ") != all.npos;
      BOOST_TEST(may == wanted, who << " " << r.method << " " << r.target);
    }
}

BOOST_AUTO_TEST_CASE(a_node_may_do_its_work) {
  rbac_fixture f;
  f.ask_as("system:node:laptop", {"system:nodes"});
  for (const char* path :
       {"/api/v1/pods", "/api/v1/secrets", "/api/v1/configmaps",
        "/api/v1/services",
        "/api/v1/namespaces/default/serviceaccounts/default"})
    BOOST_TEST(f.get(path).status == 200, path);
  BOOST_TEST(f.get("/api/v1/serviceaccounts").status == 403);
  BOOST_TEST(f.post(rbac + "/clusterroles", json::object()).status == 403);
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_added_at_a_start) {
  json wanted{{"rules", {1, 2}}};
  struct row {
    json stored;
    json after;
  } rows[] = {
      {{{"rules", {2, 3}}}, {2, 3, 1}},
      {json::object(), {1, 2}},
      {{{"rules", {3}},
        {"metadata",
         {{"annotations",
           {{"rbac.authorization.kubernetes.io/autoupdate", "false"}}}}}},
       {3}},
  };
  for (const auto& r : rows)
    BOOST_TEST(add_missing_rules_and_subjects(r.stored, wanted)["rules"]
               == r.after);
}

BOOST_AUTO_TEST_SUITE_END()
