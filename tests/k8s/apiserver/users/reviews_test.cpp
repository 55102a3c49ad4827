#include "tests/k8s/apiserver/rbac_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(reviews_test)

BOOST_AUTO_TEST_CASE(whoever_asks_may_do_everything) {
  server_fixture s;
  struct row {
    const char* path;
    const char* pointer;
    json wanted;
  } rows[] = {{"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
               "/status/allowed", true},
              {"/apis/authorization.k8s.io/v1/subjectaccessreviews",
               "/status/allowed", true},
              {"/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
               "/status/resourceRules/0/verbs/0", "*"},
              {"/apis/authentication.k8s.io/v1/selfsubjectreviews",
               "/status/userInfo/username", "troupe"}};
  for (const auto& r : rows) {
    auto a = s.post(r.path, {{"spec", {{"a", "b"}}}});
    BOOST_TEST(a.status == 201, r.path);
    BOOST_TEST(a[r.pointer] == r.wanted, r.path);
    BOOST_TEST(a["/spec/a"] == "b");
    // Nothing is stored, and so nothing can be read.
    BOOST_TEST(s.get(r.path).status == 405);
    BOOST_TEST(s.get(std::string{r.path} + "?watch=true").status == 405);
    BOOST_TEST(s.post(r.path, json::array()).status == 400);
  }
  auto verbs = s.get("/apis/authentication.k8s.io/v1")["/resources/0/verbs"];
  BOOST_TEST(verbs == json::array({"create"}));
}

BOOST_AUTO_TEST_CASE(a_review_answers_for_the_user_it_names) {
  rbac_fixture f;
  f.make_role("r", R"([{"verbs":["list"],"apiGroups":[""],
                        "resources":["pods"]}])");
  f.bind("Role", "r", "jane");
  auto review = [&](const std::string& kind, const json& spec) {
    return f.post("/apis/authorization.k8s.io/v1/" + kind, {{"spec", spec}});
  };
  json list_pods{
      {"verb", "list"}, {"resource", "pods"}, {"namespace", "default"}};
  json list_everywhere{{"verb", "list"}, {"resource", "pods"}};
  f.ask_as("jane");
  auto self =
      review("selfsubjectaccessreviews", {{"resourceAttributes", list_pods}});
  BOOST_TEST(self["/status/allowed"] == true);
  BOOST_TEST(self["/status/reason"]
             == "RBAC: allowed by RoleBinding \"r-jane/default\" of Role "
                "\"r\" to User \"jane\"");
  BOOST_TEST(review("selfsubjectaccessreviews",
                    {{"resourceAttributes", list_everywhere}})["/status"]
             == json({{"allowed", false}}));
  BOOST_TEST(
      review("selfsubjectaccessreviews",
             {{"nonResourceAttributes",
               {{"verb", "get"}, {"path", "/version"}}}})["/status/allowed"]
      == true);
  BOOST_TEST(review("selfsubjectaccessreviews", json::object()).status == 422);
  auto rules = review("selfsubjectrulesreviews", {{"namespace", "default"}});
  BOOST_TEST(
      rules["/status/resourceRules"].back()
      == json(
          {{"verbs", {"list"}}, {"apiGroups", {""}}, {"resources", {"pods"}}}));
  BOOST_TEST(rules["/status/nonResourceRules/0/verbs/0"] == "get");
  // Of others only those may ask who have the right to.
  BOOST_TEST(review("subjectaccessreviews", {{"user", "jane"}}).status == 403);
  f.user = nullptr;
  auto about = [&](json spec, const json& attributes) {
    spec["resourceAttributes"] = attributes;
    return review("subjectaccessreviews", spec)["/status/allowed"];
  };
  BOOST_TEST(about({{"user", "jane"}}, list_pods) == true);
  BOOST_TEST(about({{"user", "jane"}}, list_everywhere) == false);
  BOOST_TEST(about({{"user", "joe"}}, list_pods) == false);
  BOOST_TEST(about({{"groups", {"system:masters"}}}, list_everywhere) == true);
  BOOST_TEST(
      review("subjectaccessreviews", {{"resourceAttributes", list_pods}}).status
      == 422);
  const std::string local = "/apis/authorization.k8s.io/v1/namespaces/default/"
                            "localsubjectaccessreviews";
  json spec{{"user", "jane"}, {"resourceAttributes", list_pods}};
  BOOST_TEST(f.post(local, {{"spec", spec}})["/status/allowed"] == true);
  spec["resourceAttributes"]["namespace"] = "other";
  BOOST_TEST(f.post(local, {{"spec", spec}}).status == 400);
}

BOOST_AUTO_TEST_SUITE_END()
