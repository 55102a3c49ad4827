#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(garbage_collector_test)

namespace {

json owned(const std::string& name, const server_fixture::answer& owner) {
  auto m = config_map(name);
  m["metadata"]["ownerReferences"] = {{{"apiVersion", "v1"},
                                       {"kind", "ConfigMap"},
                                       {"name", owner["/metadata/name"]},
                                       {"uid", owner["/metadata/uid"]}}};
  return m;
}

void collect(server_fixture& s) {
  for (int i = 0; i < 50 && s.core.collect_garbage() > 0; ++i)
    ;
}

} // namespace

BOOST_AUTO_TEST_CASE(dependents_follow_their_owner) {
  server_fixture s;
  auto owner = s.post(maps, config_map("owner"));
  auto child = s.post(maps, owned("child", owner));
  s.post(maps, owned("grandchild", child));
  s.post(maps, config_map("free"));
  collect(s);
  BOOST_TEST(s.get(maps)["/items"].size() == 4u);
  s.drop(maps + "/owner");
  collect(s);
  BOOST_TEST(s.get(maps)["/items"].size() == 1u);
  s.post(maps, owned("late", owner));
  BOOST_TEST(s.get(maps + "/late").status == 200);
  collect(s);
  BOOST_TEST(s.get(maps + "/late").status == 404);
}

BOOST_AUTO_TEST_CASE(an_owner_of_the_same_name_is_not_the_owner) {
  server_fixture s;
  auto owner = s.post(maps, config_map("owner"));
  s.post(maps, owned("child", owner));
  s.drop(maps + "/owner");
  s.post(maps, config_map("owner"));
  collect(s);
  BOOST_TEST(s.get(maps + "/child").status == 404);
}

BOOST_AUTO_TEST_CASE(who_is_not_as_the_reference_says_is_no_owner) {
  struct row {
    const char* field;
    const char* value;
    bool stays;
  } rows[] = {
      {"name", "owner", true},
      {"name", "other", false},
      {"kind", "Secret", false},
      {"uid", "another", false},
      // No server has such a kind.
      {"apiVersion", "apps/v1", true},
  };
  for (const auto& r : rows) {
    server_fixture s;
    auto owner = s.post(maps, config_map("owner"));
    auto child = owned("child", owner);
    child["metadata"]["ownerReferences"][0][r.field] = r.value;
    s.post(maps, child);
    // The reference is looked at when something about it changes, at the
    // latest.
    auto other = s.post(maps, config_map("x"));
    child["metadata"]["ownerReferences"].push_back(
        owned("", other)["metadata"]["ownerReferences"][0]);
    s.put(maps + "/child", child);
    s.drop(maps + "/x");
    collect(s);
    BOOST_TEST(s.get(maps + "/child").status == (r.stays ? 200 : 404),
               r.field << " " << r.value);
  }
}

// As kube-controller-manager does it: nobody can tell whether it is there.
BOOST_AUTO_TEST_CASE(an_owner_of_a_kind_that_is_not_served_may_be_there) {
  server_fixture s;
  auto gone = s.post(maps, config_map("gone"));
  auto child = owned("child", gone);
  child["metadata"]["ownerReferences"][0]["kind"] = "Job";
  child["metadata"]["ownerReferences"][0]["apiVersion"] = "x.io/v1";
  // Nor is the reference to the other owner taken off.
  child["metadata"]["ownerReferences"].push_back(owned(
      "", s.post(maps, config_map("other")))["metadata"]["ownerReferences"][0]);
  s.post(maps, child);
  s.drop(maps + "/other");
  collect(s);
  BOOST_TEST(s.get(maps + "/child")["/metadata/ownerReferences"].size() == 2u);
  // It can be told now.
  BOOST_REQUIRE(s.post(crds, crd()).status == 201);
  collect(s);
  BOOST_TEST(s.get(maps + "/child").status == 404);
}

BOOST_AUTO_TEST_CASE(dependents_follow_an_owner_that_goes_with_its_kind) {
  defined s;
  auto owner = s.post(jobs, job({{"size", 1}}));
  BOOST_REQUIRE(owner.status == 201);
  auto child = owned("child", owner);
  child["metadata"]["ownerReferences"][0]["kind"] = "Job";
  child["metadata"]["ownerReferences"][0]["apiVersion"] = "x.io/v1";
  s.post(maps, child);
  collect(s);
  BOOST_TEST(s.get(maps + "/child").status == 200);
  s.drop(crds + "/jobs.x.io");
  collect(s);
  BOOST_TEST(s.get(jobs).status == 404);
  BOOST_TEST(s.get(maps + "/child").status == 404);
}

BOOST_AUTO_TEST_CASE(no_owner_is_in_another_namespace) {
  const std::string there = "/api/v1/namespaces/b/configmaps";
  auto with_finalizer = [](json m) {
    m["metadata"]["finalizers"] = {"x/y"};
    m["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = true;
    return m;
  };
  server_fixture s;
  s.core.ensure_namespace_ignoring_errors("b");
  auto owner = s.post(maps, config_map("owner"));
  // It does not keep what names it alive.
  s.post(there, owned("far", owner));
  s.post(there, with_finalizer(owned("blocking", owner)));
  collect(s);
  BOOST_TEST(s.get(there + "/far").status == 404);
  BOOST_TEST(
      s.get(there + "/blocking")["/metadata/deletionTimestamp"].is_string());
  // Nor has it to wait for that.
  s.drop(maps + "/owner", {{"propagationPolicy", "Foreground"}});
  collect(s);
  BOOST_TEST(s.get(maps + "/owner").status == 404);
  // Nor does its end delete what has another owner, or free it of one.
  auto near = s.post(there, config_map("near"));
  auto second = s.post(maps, config_map("second"));
  auto child = owned("child", near);
  child["metadata"]["ownerReferences"].push_back(
      owned("", second)["metadata"]["ownerReferences"][0]);
  s.post(there, child);
  s.drop(maps + "/second", {{"propagationPolicy", "Orphan"}});
  collect(s);
  auto left = s.get(there + "/child")["/metadata/ownerReferences"];
  BOOST_REQUIRE(left.size() == 1u);
  BOOST_TEST(left[0]["name"] == "near");
}

BOOST_AUTO_TEST_CASE(an_object_of_the_cluster_owns_in_any_namespace) {
  server_fixture s;
  s.core.ensure_namespace_ignoring_errors("b");
  const std::string there = "/api/v1/namespaces/b/configmaps";
  auto node = s.post(
      "/api/v1/nodes",
      {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "n"}}}});
  auto child = owned("child", node);
  child["metadata"]["ownerReferences"][0]["kind"] = "Node";
  s.post(there, child);
  collect(s);
  BOOST_TEST(s.get(there + "/child").status == 200);
  s.drop("/api/v1/nodes/n");
  collect(s);
  BOOST_TEST(s.get(there + "/child").status == 404);
}

BOOST_AUTO_TEST_CASE(an_object_of_the_cluster_has_no_owner_in_a_namespace) {
  server_fixture s;
  auto owner = s.post(maps, config_map("owner"));
  json node{{"apiVersion", "v1"}, {"kind", "Node"}};
  node["metadata"] = owned("n", owner)["metadata"];
  s.post("/api/v1/nodes", node);
  collect(s);
  s.drop(maps + "/owner");
  collect(s);
  BOOST_TEST(s.get("/api/v1/nodes/n").status == 200);
}

BOOST_AUTO_TEST_CASE(orphans_survive) {
  server_fixture s;
  auto owner = s.post(maps, config_map("owner"));
  s.post(maps, owned("child", owner));
  s.drop(maps + "/owner", {{"propagationPolicy", "Orphan"}});
  collect(s);
  auto a = s.get(maps + "/child");
  BOOST_TEST(a.status == 200);
  BOOST_TEST(a["/metadata/ownerReferences"].is_null());
}

BOOST_AUTO_TEST_CASE(a_foreground_owner_goes_last) {
  server_fixture s;
  auto owner = s.post(maps, config_map("owner"));
  auto child = owned("child", owner);
  child["metadata"]["finalizers"] = {"x/y"};
  child["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = true;
  s.post(maps, child);
  s.drop(maps + "/owner", {{"propagationPolicy", "Foreground"}});
  collect(s);
  BOOST_TEST(s.get(maps + "/owner").status == 200);
  s.merge(maps + "/child", {{"metadata", {{"finalizers", nullptr}}}});
  collect(s);
  BOOST_TEST(s.get(maps)["/items"].size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_foreground_owner_waits_only_for_who_blocks_it) {
  server_fixture s;
  auto owner = s.post(maps, config_map("owner"));
  auto child = owned("child", owner);
  child["metadata"]["finalizers"] = {"x/y"};
  s.post(maps, child);
  s.drop(maps + "/owner", {{"propagationPolicy", "Foreground"}});
  collect(s);
  BOOST_TEST(s.get(maps + "/owner").status == 404);
  BOOST_TEST(s.get(maps + "/child")["/metadata/deletionTimestamp"].is_string());
}

BOOST_AUTO_TEST_CASE(owners_in_a_ring_do_not_wait_for_each_other) {
  struct row {
    std::string ring, deleted;
  } rows[] = {
      {"a", "a"}, {"ab", "a"}, {"abc", "b"}, {"ab", "ab"}, {"abcd", "cadb"}};
  for (const auto& r : rows) {
    server_fixture s;
    for (char c : r.ring)
      s.post(maps, config_map({c}));
    auto last = s.get(maps + "/" + r.ring.back());
    for (char c : r.ring) {
      auto m = owned({c}, last);
      m["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = true;
      last = s.put(maps + "/" + c, m);
    }
    // Who is not in it waits for them, and is waited for.
    auto top = s.post(maps, config_map("top"));
    auto inside = owned({r.ring[0]}, top)["metadata"]["ownerReferences"][0];
    inside["blockOwnerDeletion"] = true;
    auto m = s.get(maps + "/" + r.ring[0]).body;
    m["metadata"]["ownerReferences"].push_back(inside);
    s.put(maps + "/" + r.ring[0], m);
    auto below = owned("below", s.get(maps + "/" + r.ring[0]));
    below["metadata"]["finalizers"] = {"x/y"};
    below["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = true;
    s.post(maps, below);
    for (char c : r.deleted)
      s.drop(maps + "/" + c, {{"propagationPolicy", "Foreground"}});
    s.drop(maps + "/top", {{"propagationPolicy", "Foreground"}});
    collect(s);
    BOOST_TEST(s.get(maps + "/top").status == 200, r.ring << r.deleted);
    BOOST_TEST(s.get(maps + "/" + r.ring[0]).status == 200);
    s.merge(maps + "/below", {{"metadata", {{"finalizers", nullptr}}}});
    collect(s);
    BOOST_TEST(s.get(maps)["/items"].empty(), r.ring << r.deleted);
  }
}

BOOST_AUTO_TEST_CASE(an_owner_without_dependents_is_seen_to_be_orphaned) {
  for (std::string policy : {"Foreground", "Orphan"}) {
    server_fixture s;
    s.post(maps, config_map("owner"));
    auto e = s.watch(maps + "?resourceVersion=" + s.get(maps).version());
    s.drop(maps + "/owner", {{"propagationPolicy", policy}});
    collect(s);
    BOOST_TEST(
        (e->lines()
         == std::vector<std::string>{"MODIFIED owner", "DELETED owner"}));
  }
}

BOOST_AUTO_TEST_CASE(the_finalizer_orphan_alone_is_enough) {
  server_fixture s;
  auto m = config_map("owner");
  m["metadata"]["finalizers"] = {"orphan"};
  auto owner = s.post(maps, m);
  s.post(maps, owned("child", owner));
  s.drop(maps + "/owner");
  collect(s);
  BOOST_TEST(s.get(maps + "/owner").status == 404);
  BOOST_TEST(s.get(maps + "/child")["/metadata/ownerReferences"].is_null());
}

BOOST_AUTO_TEST_CASE(who_has_an_owner_left_stays_without_the_others) {
  server_fixture s;
  auto first = s.post(maps, config_map("first"));
  auto second = s.post(maps, config_map("second"));
  auto child = owned("child", first);
  child["metadata"]["ownerReferences"].push_back(
      owned("", second)["metadata"]["ownerReferences"][0]);
  s.post(maps, child);
  s.drop(maps + "/first");
  collect(s);
  auto owners = s.get(maps + "/child")["/metadata/ownerReferences"];
  BOOST_REQUIRE(owners.size() == 1u);
  BOOST_TEST(owners[0]["name"] == "second");
}

BOOST_AUTO_TEST_CASE(a_namespace_takes_its_contents_along) {
  server_fixture s;
  s.core.ensure_namespace_ignoring_errors("n");
  s.post("/api/v1/namespaces/n/configmaps", config_map("m"));
  auto p = pod("p");
  s.post("/api/v1/namespaces/n/pods", p);
  s.post("/api/v1/namespaces/n/pods/p/binding", {{"target", {{"name", "x"}}}});
  BOOST_TEST(s.drop("/api/v1/namespaces/n")["/status/phase"] == "Terminating");
  auto a = s.post("/api/v1/namespaces/n/configmaps", config_map("late"));
  BOOST_TEST(a.status == 403);
  BOOST_TEST(a["/details/causes/0/reason"] == "NamespaceTerminating");
  collect(s);
  BOOST_TEST(s.get("/api/v1/namespaces/n").status == 200); // The pod's grace.
  s.drop("/api/v1/namespaces/n/pods/p", {{"gracePeriodSeconds", 0}});
  collect(s);
  BOOST_TEST(s.get("/api/v1/namespaces/n").status == 404);
  BOOST_TEST(s.get("/api/v1/configmaps")["/items"].empty());
}

BOOST_AUTO_TEST_SUITE_END()
