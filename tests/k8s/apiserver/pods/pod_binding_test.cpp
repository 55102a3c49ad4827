#include "k8s/apiserver/pods/pod_binding.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(pod_binding_test)

namespace {

json binding_to(const std::string& node) {
  return {{"target", {{"name", node}}}};
}

} // namespace

BOOST_FIXTURE_TEST_CASE(a_binding_sets_the_node_and_says_so, server_fixture) {
  post(pods, pod("a"));
  auto done = post(pods + "/a/binding", binding_to("n1"));
  BOOST_TEST(done.status == 201);
  BOOST_TEST(done["/kind"] == "Status");
  BOOST_TEST(done["/status"] == "Success");
  auto a = get(pods + "/a");
  BOOST_TEST(a["/spec/nodeName"] == "n1");
  BOOST_REQUIRE(a["/status/conditions"].size() == 1u);
  BOOST_TEST(a["/status/conditions/0/type"] == "PodScheduled");
  BOOST_TEST(a["/status/conditions/0/status"] == "True");
  BOOST_TEST(a["/status/conditions/0/lastTransitionTime"]
             == "2026-01-01T00:00:00Z");
}

BOOST_FIXTURE_TEST_CASE(a_binding_replaces_what_said_that_none_was_found,
                        server_fixture) {
  post(pods, pod("a"));
  merge(pods + "/a/status", {{"status",
                              {{"conditions",
                                {{{"type", "PodScheduled"},
                                  {"status", "False"},
                                  {"reason", "Unschedulable"},
                                  {"message", "no room"}}}}}}});
  post(pods + "/a/binding", binding_to("n1"));
  auto a = get(pods + "/a");
  BOOST_REQUIRE(a["/status/conditions"].size() == 1u);
  BOOST_TEST(a["/status/conditions/0/status"] == "True");
  BOOST_TEST(!a["/status/conditions/0"].contains("reason"));
}

BOOST_FIXTURE_TEST_CASE(some_bindings_are_refused, server_fixture) {
  post(pods, pod("free"));
  post(pods, pod("bound"));
  post(pods + "/bound/binding", binding_to("n1"));
  auto leaving = pod("leaving");
  leaving["metadata"]["finalizers"] = {"x.io/hold"};
  post(pods, leaving);
  drop(pods + "/leaving");
  auto other_uid = binding_to("n1");
  other_uid["metadata"]["uid"] = "another";
  struct row {
    const char* pod;
    json binding;
    int status;
    const char* reason;
    const char* says;
  };
  // clang-format off
  const row rows[] = {
      {"none", binding_to("n1"), 404, "NotFound", "pods \"none\" not found"},
      {"free", json::object(), 422, "Invalid", "target.name: Required value"},
      {"free", binding_to(""), 422, "Invalid", "target.name: Required value"},
      {"free", other_uid, 409, "Conflict", "Precondition failed: UID in precondition: another, UID in object meta: "},
      {"bound", binding_to("n2"), 409, "Conflict", "pod bound is already assigned to node \"n1\""},
      {"bound", binding_to("n1"), 409, "Conflict", "pod bound is already assigned to node \"n1\""},
      {"leaving", binding_to("n1"), 409, "Conflict", "pod leaving is being deleted, cannot be assigned to a host"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto before = get(pods + "/" + r.pod);
    auto refused = post(pods + "/" + r.pod + "/binding", r.binding);
    BOOST_TEST(refused.status == r.status, r.pod << " " << r.binding);
    BOOST_TEST(refused.reason() == r.reason, r.pod << " " << r.binding);
    BOOST_TEST(refused.says(r.says), refused.message());
    BOOST_TEST(get(pods + "/" + r.pod).body == before.body);
  }
}

BOOST_FIXTURE_TEST_CASE(a_dry_binding_binds_nothing, server_fixture) {
  post(pods, pod("a"));
  auto before = get(pods + "/a");
  auto done = post(pods + "/a/binding?dryRun=All", binding_to("n1"));
  BOOST_TEST(done.status == 201);
  BOOST_TEST(done["/status"] == "Success");
  BOOST_TEST(get(pods + "/a").body == before.body);
  // It finds what is wrong.
  BOOST_TEST(post(pods + "/a/binding?dryRun=All", binding_to("")).status
             == 422);
  post(pods + "/a/binding", binding_to("n1"));
  BOOST_TEST(post(pods + "/a/binding?dryRun=All", binding_to("n2")).status
             == 409);
}

BOOST_FIXTURE_TEST_CASE(a_binding_may_name_the_uid_of_its_pod, server_fixture) {
  auto made = post(pods, pod("a"));
  auto binding = binding_to("n1");
  binding["metadata"]["uid"] = made["/metadata/uid"];
  BOOST_TEST(post(pods + "/a/binding", binding).status == 201);
}

BOOST_AUTO_TEST_SUITE_END()
