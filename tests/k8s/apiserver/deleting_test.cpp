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
  BOOST_TEST(e->lines() == (lines{"MODIFIED a", "DELETED a"}));
  BOOST_TEST(s.get(pods + "/a").status == 404);
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
  BOOST_TEST(no.says("Precondition failed: UID in precondition: other"));
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
  auto a =
      s.merge(maps + "/m", {{"metadata", {{"finalizers", {"x/y", "x/z"}}}}});
  BOOST_TEST(a.says("no new finalizers can be added"));
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

BOOST_AUTO_TEST_CASE(a_collection_goes_as_selected) {
  server_fixture s;
  s.post(maps, config_map("a", {{"x", "1"}}));
  s.post(maps, config_map("b", {{"x", "1"}}));
  s.post(maps, config_map("c"));
  BOOST_TEST(s.drop(maps + "?labelSelector=x=1").status == 200);
  BOOST_TEST(s.get(maps)["/items"].size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
