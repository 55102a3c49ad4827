#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;
using lines = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(deleting)

BOOST_AUTO_TEST_CASE(a_running_pod_gets_its_grace) {
  server_fixture s;
  s.post(pods, pod("a"));
  s.post(pods + "/a/binding", {{"target", {{"name", "n"}}}});
  auto e = s.watch(pods + "?resourceVersion=" + s.get(pods).version());
  auto a = s.drop(pods + "/a");
  BOOST_TEST(a.status == 200);
  BOOST_TEST(a["/metadata/deletionTimestamp"] == "2026-01-01T00:00:30Z");
  BOOST_TEST(a["/metadata/deletionGracePeriodSeconds"] == 30);
  BOOST_TEST(e->lines() == lines{"MODIFIED a"});
  s.drop(pods + "/a"); // Asking again changes nothing.
  BOOST_TEST(e->lines().empty());
  a = s.drop(pods + "/a", {{"gracePeriodSeconds", 5}});
  BOOST_TEST(a["/metadata/deletionTimestamp"] == "2026-01-01T00:00:05Z");
  s.drop(pods + "/a", {{"gracePeriodSeconds", 0}});
  // Both steps are seen: without grace, and gone.
  BOOST_TEST(e->lines() == (lines{"MODIFIED a", "MODIFIED a", "DELETED a"}));
  BOOST_TEST(s.get(pods + "/a").status == 404);
}

BOOST_AUTO_TEST_CASE(a_pod_without_grace_is_seen_to_end) {
  server_fixture s;
  s.post(pods, pod("a"));
  auto e = s.watch(pods + "?resourceVersion=" + s.get(pods).version());
  auto a = s.drop(pods + "/a");
  BOOST_TEST(a["/metadata/deletionGracePeriodSeconds"] == 0);
  BOOST_TEST(e->lines() == (lines{"MODIFIED a", "DELETED a"}));
}

BOOST_AUTO_TEST_CASE(pods_that_run_nowhere_go_at_once) {
  server_fixture s;
  s.post(pods, pod("unbound"));
  s.post(pods, pod("through"));
  s.post(pods + "/through/binding", {{"target", {{"name", "n"}}}});
  s.merge(pods + "/through/status", {{"status", {{"phase", "Failed"}}}});
  for (auto name : {"/unbound", "/through"}) {
    BOOST_TEST(s.drop(pods + name).status == 200);
    BOOST_TEST(s.get(pods + name).status == 404);
  }
}

BOOST_AUTO_TEST_CASE(preconditions_are_kept) {
  server_fixture s;
  auto a = s.post(pods, pod("a"));
  auto no = s.drop(pods + "/a", {{"preconditions", {{"uid", "other"}}}});
  BOOST_TEST(no.status == 409);
  BOOST_TEST(no.says("the UID in the precondition (other) does not match"));
  BOOST_TEST(
      s.drop(pods + "/a", {{"preconditions", {{"resourceVersion", "1"}}}})
          .status
      == 409);
  BOOST_TEST(
      s.drop(pods + "/a", {{"preconditions", {{"uid", a["/metadata/uid"]}}}})
          .status
      == 200);
}

BOOST_AUTO_TEST_CASE(finalizers_hold_an_object_back) {
  server_fixture s;
  auto m = config_map("m");
  m["metadata"]["finalizers"] = {"x/y"};
  s.post(maps, m);
  BOOST_TEST(s.drop(maps + "/m")["/metadata/deletionTimestamp"].is_string());
  auto a = s.merge(maps + "/m",
                   {{"metadata", {{"finalizers", {"x/y", "x/z", "x/a"}}}}});
  BOOST_TEST(a.says("no new finalizers can be added if the object is being "
                    "deleted, found new finalizers "
                    "[]string{\"x/a\", \"x/z\"}"));
  BOOST_TEST(a["/details/causes"].size() == 1u);
  s.merge(maps + "/m", {{"metadata", {{"finalizers", nullptr}}}});
  BOOST_TEST(s.get(maps + "/m").status == 404);
}

BOOST_AUTO_TEST_CASE(a_deletion_answers_with_a_status) {
  server_fixture s;
  auto a = s.post(maps, config_map("m"));
  auto d = s.drop(maps + "/m");
  BOOST_TEST(d["/status"] == "Success");
  BOOST_TEST(d["/details/uid"] == a["/metadata/uid"]);
  d = s.drop(maps + "/m");
  BOOST_TEST(d.status == 404);
  BOOST_TEST(d.message() == "configmaps \"m\" not found");
}

BOOST_AUTO_TEST_CASE(options_that_are_refused_delete_nothing) {
  server_fixture s;
  s.post(maps, config_map("m"));
  struct row {
    const char* query;
    json body;
    int status;
    const char* part;
  };
  const row rows[] = {
      {"", {{"propagationPolicy", "Sometimes"}}, 422, "\"Orphan\", \"nil\""},
      {"",
       {{"propagationPolicy", "Orphan"}, {"orphanDependents", true}},
       422,
       "cannot be both set"},
      {"", {{"dryRun", {"Some"}}}, 422, "supported values: \"All\""},
      {"", {{"kind", "Other"}}, 400, "must be a DeleteOptions"},
      {"", json::array({1}), 400, "must be a DeleteOptions"},
      {"", {{"gracePeriodSeconds", 1e300}}, 400, "is no integer"},
      {"", {{"gracePeriodSeconds", 1.5}}, 400, "1.5 is no integer"},
      {"", {{"gracePeriodSeconds", UINT64_MAX}}, 400, "is no integer"},
      {"", {{"gracePeriodSeconds", "1"}}, 400, "is no integer"},
      {"?propagationPolicy=Sometimes", nullptr, 422, "Unsupported value"},
      {"?dryRun=Some", nullptr, 422, "supported values: \"All\""},
      {"?gracePeriodSeconds=x", nullptr, 400, "is not a number"}};
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.query << " " << r.body) {
      auto a = s.drop(maps + "/m" + r.query, r.body);
      BOOST_TEST(a.status == r.status);
      BOOST_TEST(a.says(r.part));
    }
  BOOST_TEST(s.get(maps + "/m").status == 200);
}

BOOST_AUTO_TEST_CASE(options_that_are_null_are_none) {
  server_fixture s;
  for (const char* body : {"null", R"({"gracePeriodSeconds":null})"}) {
    s.post(maps, config_map("m"));
    auto r = s.request("DELETE", maps + "/m");
    r.body = body;
    BOOST_TEST(s.ask(r).status == 200, body);
    BOOST_TEST(s.get(maps + "/m").status == 404, body);
  }
}

BOOST_AUTO_TEST_CASE(a_dry_deletion_answers_as_one) {
  server_fixture s;
  s.post(maps, config_map("m"));
  auto held = config_map("held");
  held["metadata"]["finalizers"] = {"x/y"};
  s.post(maps, held);
  BOOST_TEST(s.drop(maps + "/m?dryRun=All")["/status"] == "Success");
  BOOST_TEST(s.drop(maps + "/held?dryRun=All")["/metadata/deletionTimestamp"]
                 .is_string());
  auto a = s.get(maps + "/held");
  BOOST_TEST(a["/metadata/deletionTimestamp"].is_null());
  BOOST_TEST(s.get(maps)["/items"].size() == 2u);
}

BOOST_AUTO_TEST_CASE(the_policy_is_a_finalizer) {
  server_fixture s;
  auto m = config_map("m");
  m["metadata"]["finalizers"] = {"orphan", "x/y"};
  s.post(maps, m);
  auto a = s.drop(maps + "/m?dryRun=All", {{"dryRun", {"All"}}});
  BOOST_TEST(a["/metadata/finalizers"] == json({"x/y", "orphan"}));
  a = s.drop(maps + "/m", {{"propagationPolicy", "Foreground"}});
  BOOST_TEST(a["/metadata/finalizers"] == json({"x/y", "foregroundDeletion"}));
}

BOOST_AUTO_TEST_CASE(namespaces_are_no_collection_to_delete) {
  server_fixture s;
  s.core.ensure_namespace_ignoring_errors("n");
  BOOST_TEST(s.drop("/api/v1/namespaces").status == 405);
  BOOST_TEST(s.get("/api/v1/namespaces/n").status == 200);
}

BOOST_AUTO_TEST_CASE(a_collection_goes_as_selected) {
  server_fixture s;
  s.post(maps, config_map("a", {{"x", "1"}}));
  s.post(maps, config_map("b", {{"x", "1"}}));
  s.post(maps, config_map("c"));
  BOOST_TEST(s.drop(maps + "?labelSelector=x=1").status == 200);
  BOOST_TEST(s.get(maps)["/items"].size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
