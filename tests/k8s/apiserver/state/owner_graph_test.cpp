#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/state/owner_graph.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(owner_graph_test)

namespace {

/// A graph that sees the changes of a store.
struct graph_fixture {
  graph_fixture() {
    objects.on_change = [this](const change_ptr& c) { graph.apply_change(*c); };
  }

  void put(const std::string& name, const std::vector<std::string>& owners = {},
           json meta = json::object(), const char* bucket = "maps") {
    meta["name"] = name;
    meta["uid"] = name;
    for (const auto& uid : owners)
      meta["ownerReferences"].push_back({{"uid", uid}, {"name", uid}});
    objects.put(bucket, "/" + name, {{"metadata", meta}});
  }
  void remove(const std::string& name) { objects.remove("maps", "/" + name); }

  /// The names of the candidates, which are no longer any.
  std::string candidates() {
    std::string out;
    for (const auto& [bucket, key] : graph.take_garbage_candidates())
      out += key;
    return out;
  }

  store objects{100};
  owner_graph graph;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(dependents_of_a_deleted_owner_are_candidates,
                        graph_fixture) {
  put("owner");
  put("a", {"owner"});
  put("b", {"owner"});
  put("c");
  BOOST_TEST(candidates() == "");
  remove("owner");
  BOOST_TEST(candidates() == "/a/b");
  BOOST_TEST(candidates() == "");
  BOOST_TEST(!graph.has_object("owner"));
}

BOOST_FIXTURE_TEST_CASE(a_deletion_is_remembered_while_a_dependent_is_there,
                        graph_fixture) {
  put("owner");
  put("a", {"owner"});
  put("b", {"owner"});
  put("free");
  remove("owner");
  remove("free");
  BOOST_TEST(graph.was_deleted_leaving_dependents("owner"));
  BOOST_TEST(!graph.was_deleted_leaving_dependents("free"));
  remove("a");
  BOOST_TEST(graph.was_deleted_leaving_dependents("owner"));
  remove("b");
  BOOST_TEST(!graph.was_deleted_leaving_dependents("owner"));
}

BOOST_FIXTURE_TEST_CASE(what_has_no_owner_there_can_be_looked_at_again,
                        graph_fixture) {
  put("owner");
  put("a", {"owner"});
  put("b", {"missing"});
  BOOST_TEST(candidates() == "/b");
  BOOST_TEST(candidates() == "");
  graph.add_candidates_with_missing_owner();
  BOOST_TEST(candidates() == "/b");
}

BOOST_FIXTURE_TEST_CASE(one_owner_that_is_missing_makes_a_candidate,
                        graph_fixture) {
  put("owner");
  put("a", {"owner", "missing"});
  BOOST_TEST(candidates() == "/a");
}

BOOST_FIXTURE_TEST_CASE(an_owner_that_cannot_be_it_makes_a_candidate,
                        graph_fixture) {
  auto put_in = [&](const std::string& ns, const std::string& name,
                    json owners) {
    objects.put("maps", ns + "/" + name,
                {{"metadata",
                  {{"name", name},
                   {"namespace", ns},
                   {"uid", ns + name},
                   {"ownerReferences", std::move(owners)}}}});
  };
  put("cluster");
  put_in("a", "owner", json::array());
  put_in("a", "one", {{{"uid", "aowner"}, {"name", "owner"}}});
  put_in("a", "two", {{{"uid", "cluster"}, {"name", "cluster"}}});
  BOOST_TEST(candidates() == "");
  put_in("b", "far", {{{"uid", "aowner"}, {"name", "owner"}}});
  put_in("a", "misnamed", {{{"uid", "aowner"}, {"name", "other"}}});
  BOOST_TEST(candidates() == "a/misnamedb/far");
}

BOOST_FIXTURE_TEST_CASE(a_changed_reference_leaves_the_former_owner,
                        graph_fixture) {
  put("one");
  put("two");
  put("a", {"one"});
  put("a", {"two"});
  BOOST_TEST(graph.find_dependents("one").empty());
  BOOST_TEST(graph.find_dependents("two").size() == 1u);
  remove("one");
  BOOST_TEST(candidates() == "");
  remove("a");
  BOOST_TEST(graph.find_dependents("two").empty());
}

BOOST_FIXTURE_TEST_CASE(what_waits_for_its_contents_is_a_candidate,
                        graph_fixture) {
  const json terminating{{"deletionTimestamp", "2026-01-01T00:00:00Z"}};
  auto foreground = terminating;
  foreground["finalizers"] = {foreground_finalizer};
  put("plain", {}, terminating);
  BOOST_TEST(candidates() == "");
  put("foreground", {}, foreground);
  BOOST_TEST(candidates() == "/foreground");
  put("n", {}, terminating, "namespaces");
  BOOST_TEST(candidates() == "/n");
}

BOOST_FIXTURE_TEST_CASE(what_is_loaded_may_come_before_its_owner,
                        graph_fixture) {
  objects.on_change = [this](const change_ptr& c) { graph.apply_loaded(*c); };
  put("a", {"owner"});
  put("b", {"lost"});
  put("owner");
  BOOST_TEST(candidates() == "");
  graph.finish_loading_and_add_candidates();
  BOOST_TEST(candidates() == "/b");
  BOOST_TEST(graph.find_dependents("owner").size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
