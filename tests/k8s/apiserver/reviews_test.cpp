#include "tests/k8s/apiserver/server_fixture.hpp"

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

BOOST_AUTO_TEST_SUITE_END()
