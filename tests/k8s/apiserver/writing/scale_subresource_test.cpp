#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(scale_subresource_test)

BOOST_AUTO_TEST_CASE(scale_reads_and_writes_the_replicas) {
  defined s;
  s.post(jobs, job({{"size", 1}}));
  BOOST_TEST(s.get(jobs + "/j/scale")["/spec/replicas"] == 2);
  auto a = s.merge(jobs + "/j/scale", {{"spec", {{"replicas", 5}}}});
  BOOST_TEST(a["/spec/replicas"] == 5);
  BOOST_TEST(s.get(jobs + "/j")["/spec/replicas"] == 5);
}

BOOST_AUTO_TEST_CASE(a_scale_of_zero_has_no_replicas_in_its_spec) {
  defined s;
  s.post(jobs, job({{"size", 1}}));
  auto a = s.merge(jobs + "/j/scale", {{"spec", {{"replicas", 0}}}});
  BOOST_TEST(a["/spec"] == json::object());
  BOOST_TEST(a["/status"].contains("replicas"));
  BOOST_TEST(s.get(jobs + "/j")["/spec/replicas"] == 0);
  BOOST_TEST(s.get(jobs + "/j/scale")["/spec"] == json::object());
}

BOOST_AUTO_TEST_CASE(scale_requests_are_answered_as_those_of_the_object) {
  const json none;
  struct row {
    const char* method;
    json version; ///< In the body; null: absent.
    int status;
    int replicas; ///< Afterwards.
  } rows[] = {
      {"PUT", "current", 200, 5},   {"PUT", "1", 409, 2},
      {"PUT", "", 200, 5},          {"PUT", none, 200, 5},
      {"PATCH", "current", 200, 5}, {"PATCH", "1", 409, 2},
      {"PATCH", none, 200, 5},      {"POST", none, 405, 2},
      {"DELETE", none, 405, 2},
  };
  for (const auto& r : rows) {
    defined s;
    auto made = s.post(jobs, job({{"size", 1}}));
    json scale{{"metadata", {{"name", "j"}, {"namespace", "default"}}},
               {"spec", {{"replicas", 5}}}};
    if (!r.version.is_null())
      scale["metadata"]["resourceVersion"] =
          r.version == "current" ? json(made.version()) : r.version;
    auto a = s.call(
        r.method, jobs + "/j/scale", scale,
        std::string{r.method} == "PATCH" ? "application/merge-patch+json" : "");
    BOOST_TEST_CONTEXT(r.method << " " << r.version << ": " << a.body) {
      BOOST_TEST(a.status == r.status);
      BOOST_TEST(s.get(jobs + "/j")["/spec/replicas"] == r.replicas);
      if (r.status == 409)
        BOOST_TEST(a.message()
                   == "Operation cannot be fulfilled on jobs.x.io \"j\": the "
                      "object has been modified; please apply your changes to "
                      "the latest version and try again");
    }
  }
}

BOOST_AUTO_TEST_CASE(scale_goes_round_an_admission) {
  defined s;
  s.post(jobs, job({{"size", 1}}));
  s.core.set_admission_validator(resource{"x.io", "v1", "jobs", "Job"},
                                 [](const json&, const json*) {
                                   return admission_response{"never", {}};
                                 });
  BOOST_TEST(s.merge(jobs + "/j/scale", {{"spec", {{"replicas", 5}}}}).status
             == 200);
  BOOST_TEST(
      s.merge(jobs + "/j", {{"metadata", {{"labels", {{"a", "b"}}}}}}).status
      == 403);
}

BOOST_AUTO_TEST_CASE(deployments_and_their_like_have_a_scale) {
  server_fixture s;
  const std::string path = "/apis/apps/v1/namespaces/default/deployments";
  s.post(path, {{"metadata", {{"name", "d"}}},
                {"spec",
                 {{"replicas", 1},
                  {"selector", {{"matchLabels", {{"app", "d"}}}}}}}});
  BOOST_TEST(s.get(path + "/d/scale")["/status/selector"] == "app=d");
  BOOST_TEST(s.merge(path + "/d/scale", {{"spec", {{"replicas", 3}}}}).status
             == 200);
  BOOST_TEST(s.get(path + "/d")["/spec/replicas"] == 3);
  // Null is no number of replicas, which means none.
  json nothing{{"metadata", {{"name", "d"}}},
               {"spec", {{"replicas", nullptr}}}};
  BOOST_TEST(s.put(path + "/d/scale", nothing)["/spec"] == json::object());
  nothing["spec"]["replicas"] = "two";
  BOOST_TEST(s.put(path + "/d/scale", nothing).status == 422);
}

BOOST_AUTO_TEST_CASE(a_scale_tells_the_whole_selector) {
  server_fixture s;
  const std::string deployments =
      "/apis/apps/v1/namespaces/default/deployments";
  const std::string controllers =
      "/api/v1/namespaces/default/replicationcontrollers";
  struct row {
    const std::string& path;
    const char* selector;
    const char* text;
  };
  // clang-format off
  const row rows[] = {
      {controllers, R"({"b":"2","a":"1"})", "a=1,b=2"},
      {deployments, R"({"matchLabels":{"b":"2","a":"1"}})", "a=1,b=2"},
      {deployments, R"({"matchExpressions":[{"key":"k","operator":"Exists"}]})", "k"},
      {deployments,
       R"({"matchLabels":{"app":"d"},"matchExpressions":[
           {"key":"zone","operator":"NotIn","values":["b","a"]},
           {"key":"tier","operator":"In","values":["x"]},
           {"key":"old","operator":"DoesNotExist"},
           {"key":"app","operator":"In","values":["e","d"]},
           {"key":"gpu","operator":"Exists"}]})",
       "app=d,app in (d,e),gpu,!old,tier in (x),zone notin (a,b)"},
  };
  // clang-format on
  for (const auto& r : rows) {
    s.post(
        r.path,
        {{"metadata", {{"name", "d"}}},
         {"spec", {{"replicas", 1}, {"selector", json::parse(r.selector)}}}});
    BOOST_TEST(s.get(r.path + "/d/scale")["/status/selector"] == r.text,
               r.selector);
    s.drop(r.path + "/d");
  }
}

BOOST_AUTO_TEST_SUITE_END()
