#include "tests/frameworks/core/gangs/native_gang_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(native_gang_test)

namespace {

using fixture = native_gang_fixture;

/// A job of one server and three workers, all of which run.
fixture running_gang(int min_count = 4, int workers = 3) {
  fixture s{make_job().servers(1).workers(workers)};
  s.observe(placed_pod("ps", 0));
  for (int i = 0; i < workers; ++i)
    s.observe(placed_pod("worker", i));
  s.see_group(min_count, fixture::scheduled());
  return s;
}

void scale(fixture& s, int workers) {
  s.j = make_job().servers(1).workers(workers);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_new_group_and_then_the_pods) {
  fixture s{make_job().servers(1).workers(1)};
  BOOST_TEST(s.native_pass() == strings({"create pod group tfjob-job-job-uid"}),
             boost::test_tools::per_element());
  BOOST_TEST(s.last.summary == "waits for the PodGroup that its pods name");
  s.see_group(2);
  s.native_pass();
  int pods = 0;
  for (const auto& d : s.last.decisions)
    if (auto* c = std::get_if<core::create_child>(&d);
        c && c->kind == core::child_kind::pod) {
      BOOST_TEST(c->scheduling_group == "tfjob-job-job-uid");
      ++pods;
    }
  BOOST_TEST(pods == 2);
}

BOOST_AUTO_TEST_CASE(a_new_group_asks_for_what_the_job_needs) {
  auto asked = [](const job_builder& b) { return fixture{b}.min_count(); };
  auto b = make_job().servers(1).workers(3);
  BOOST_TEST(asked(b) == "4");
  BOOST_TEST(asked(b.policy("schedulingPolicy", {{"minAvailable", 3}})) == "3");
  BOOST_TEST(asked(b.policy("schedulingPolicy", {{"minAvailable", 9}})) == "4");
}

BOOST_AUTO_TEST_CASE(min_count_follows_the_job) {
  struct row {
    const char* what;
    int known;
    std::function<void(fixture&)> change;
    const char* wanted;
  };
  auto none = [](fixture&) {};
  auto remove = [](int i) {
    return [i](fixture& s) {
      s.seen.record_deleted(core::child_kind::pod,
                            "pod-worker-" + std::to_string(i));
    };
  };
  const row rows[] = {
      {"all run", 4, none, "4"},
      {"somebody raised it", 9, none, "4!"},
      {"somebody lowered it", 2, none, "4"},
      {"one is done and nothing follows", 4,
       [](fixture& s) {
         s.observe(placed_pod("worker", 0).succeeded().version(2));
       },
       "4"},
      {"one is done and another is to be replaced", 4,
       [&](fixture& s) {
         s.observe(placed_pod("worker", 0).succeeded().version(2));
         remove(1)(s);
       },
       "3!"},
      {"one is done and another waits", 4,
       [](fixture& s) {
         s.observe(placed_pod("worker", 0).succeeded().version(2));
         s.seen.record_deleted(core::child_kind::pod, "pod-worker-1");
         s.observe(pod("worker", 1).uid("next"));
       },
       "3!"},
      {"one is to be replaced", 4, remove(1), "4"},
      {"one has failed for good", 4,
       [&](fixture& s) {
         s.observe(placed_pod("worker", 0).failed(1).version(2));
         remove(1)(s);
       },
       "3!"},
      {"more are wanted", 4, [](fixture& s) { scale(s, 5); }, "4"},
      {"more are there, and one waits", 4,
       [](fixture& s) {
         scale(s, 4);
         s.observe(pod("worker", 3));
       },
       "4"},
      {"more are placed", 4,
       [](fixture& s) {
         scale(s, 4);
         s.observe(placed_pod("worker", 3));
       },
       "5"},
      {"fewer are wanted", 4, [](fixture& s) { scale(s, 1); }, "2!"},
      {"none is there, and all are made again", 3,
       [](fixture& s) { s.remove_pods(); }, "4!"},
  };
  for (const auto& r : rows) {
    auto s = running_gang(r.known);
    r.change(s);
    BOOST_TEST(s.min_count() == r.wanted, r.what << ": " << s.min_count());
  }
}

BOOST_AUTO_TEST_CASE(no_pod_is_made_or_removed_before_it_is_lowered) {
  auto s = running_gang();
  s.observe(placed_pod("worker", 2).succeeded().version(2));
  s.seen.record_deleted(core::child_kind::pod, "pod-worker-1");
  s.native_pass();
  BOOST_TEST(s.count_decisions("update pod group") == 1);
  BOOST_TEST(s.count_decisions("create pod worker") == 0);
  s.see_group(3, fixture::scheduled());
  s.native_pass();
  BOOST_TEST(s.count_decisions("update pod group") == 0);
  BOOST_TEST(s.count_decisions("create pod worker") == 1);

  auto smaller = running_gang();
  scale(smaller, 1);
  smaller.native_pass();
  BOOST_TEST(smaller.count_decisions("update pod group") == 1);
  BOOST_TEST(smaller.count_decisions("delete pod job-worker") == 0);
  smaller.see_group(2, fixture::scheduled());
  smaller.native_pass();
  BOOST_TEST(smaller.count_decisions("delete pod job-worker") == 2);
}

BOOST_AUTO_TEST_CASE(growth_beyond_the_room_takes_no_place_away) {
  auto s = running_gang();
  scale(s, 5);
  s.observe(pod("worker", 3));
  s.observe(pod("worker", 4));
  BOOST_TEST(s.min_count() == "4");
  s.seen.record_deleted(core::child_kind::pod, "pod-worker-1");
  BOOST_TEST(s.min_count() == "4");
}

BOOST_AUTO_TEST_CASE(all_that_wait_are_placed_together) {
  fixture s{make_job().servers(1).workers(3)};
  s.observe(pod("ps", 0));
  for (int i = 0; i < 3; ++i)
    s.observe(pod("worker", i));
  s.see_group(1);
  BOOST_TEST(s.min_count() == "4");
}

BOOST_AUTO_TEST_CASE(pods_that_do_not_name_the_group_do_not_count) {
  for (const char* group : {"", "tfjob-of-before"}) {
    fixture s{make_job().servers(1).workers(3)};
    s.observe(in_group(placed_pod("ps", 0), group));
    for (int i = 0; i < 3; ++i)
      s.observe(in_group(placed_pod("worker", i), group));
    BOOST_TEST(s.min_count() == "1");
    s.see_group(1);
    s.now += 20s;
    BOOST_TEST(s.warning() == ""); // The scheduler has nothing to say of it.
    s.seen.record_deleted(core::child_kind::pod, "pod-worker-1");
    BOOST_TEST(s.min_count() == "1");
    s.observe(in_group(pod("worker", 1).uid("next"), "tfjob-job-job-uid"));
    BOOST_TEST(s.min_count() == "1");
    // Two that are made anew are placed together.
    s.seen.record_deleted(core::child_kind::pod, "next");
    s.seen.record_deleted(core::child_kind::pod, "pod-worker-2");
    BOOST_TEST(s.min_count() == "2!");
    s.remove_pods();
    BOOST_TEST(s.min_count() == "4!");
  }
}

BOOST_AUTO_TEST_CASE(a_pod_whose_spec_no_watch_has_shown_counts) {
  auto s = running_gang();
  s.observe(in_group(placed_pod("worker", 0).version(2), "tfjob-job-job-uid"));
  BOOST_TEST(s.min_count() == "4");
  // What is known is not forgotten by an answer without the spec.
  fixture outside{make_job().servers(1).workers(1)};
  outside.observe(in_group(pod("worker", 0), ""));
  outside.observe(pod("worker", 0).version(2));
  outside.see_group(2);
  BOOST_TEST(outside.min_count() == "1!");
}

BOOST_AUTO_TEST_CASE(a_group_in_which_no_pod_is_makes_way) {
  fixture s{make_job().workers(1)};
  s.observe(in_group(placed_pod("worker", 0), ""));
  s.see_group(1, json::object(), "tfjob-job-job-uid-0old");
  s.native_pass();
  BOOST_TEST(s.count_decisions("delete pod group tfjob-job-job-uid-0old") == 1);
  BOOST_TEST(s.count_decisions("create pod group tfjob-job-job-uid") == 1);
}

BOOST_AUTO_TEST_CASE(what_cannot_change_is_another_group) {
  fixture s{make_job().workers(2)};
  s.see_group(2, json::object(), "tfjob-job-job-uid-0old");
  BOOST_TEST(s.native_pass()
                 == strings({"delete pod group tfjob-job-job-uid-0old",
                             "create pod group tfjob-job-job-uid"}),
             boost::test_tools::per_element());
  s.observe(placed_pod("worker", 0));
  s.observe(placed_pod("worker", 1));
  s.see_group(2, fixture::scheduled(), "tfjob-job-job-uid-0old");
  s.native_pass();
  BOOST_TEST(s.count_decisions("delete pod group") == 0);
  BOOST_TEST(s.warning() == "PodGroupDiffers");
  BOOST_TEST(s.step().group_of_pods == "tfjob-job-job-uid-0old");
}

BOOST_AUTO_TEST_CASE(one_that_is_being_deleted_counts_while_pods_are_in_it) {
  auto s = running_gang();
  s.see_group(4, fixture::scheduled(), "tfjob-job-job-uid", true);
  s.seen.record_deleted(core::child_kind::pod, "pod-worker-1");
  s.native_pass();
  BOOST_TEST(s.count_decisions("create pod group") == 0);
  BOOST_TEST(s.count_decisions("create pod worker") == 1);
  s.remove_pods();
  s.native_pass();
  BOOST_TEST(s.count_decisions("create") == 0);
  s.seen.record_deleted(core::child_kind::native_group,
                        "group-tfjob-job-job-uid");
  s.native_pass();
  BOOST_TEST(s.count_decisions("create pod group") == 1);
}

BOOST_AUTO_TEST_CASE(no_group_beside_a_users_own_or_unlike_priorities) {
  auto b = make_job().servers(1).workers(2);
  b.pod_template("Worker")["spec"]["schedulingGroup"]["podGroupName"] = "mine";
  fixture own{b};
  BOOST_TEST(own.min_count() == "none");
  BOOST_TEST(own.warning() == "");
  own.native_pass();
  BOOST_TEST(own.count_decisions("create pod worker") == 2);

  auto c = make_job().servers(1).workers(2);
  c.pod_template("Worker")["spec"]["priorityClassName"] = "high";
  fixture unlike{c};
  BOOST_TEST(unlike.min_count() == "none");
  BOOST_TEST(unlike.warning() == "NoPodGroup");
  unlike.native_pass();
  BOOST_TEST(unlike.last.standing_warning->message
             == "The job has no PodGroup, and its pods are placed one by one: "
                "all pods of a gang must have its priority, but PS has no "
                "priority class and Worker has priority class high");
}

BOOST_AUTO_TEST_CASE(what_the_cluster_ignores_is_said) {
  fixture s{make_job().workers(1).annotation("training.kubeflow.org/topology",
                                             "rack")};
  auto name = s.step().group_of_pods;
  s.see_group(1, json::object(), name);
  BOOST_TEST(s.warning() == "TopologyIgnored");
  s.observe(placed_pod("worker", 0));
  BOOST_TEST(s.warning() == "TopologyIgnored");
  BOOST_TEST((s.step().look_again_at == base_time + 10s));
  s.now += 10s;
  BOOST_TEST(s.warning() == "PodGroupsIgnored");
  s.see_group(1, fixture::scheduled(), name);
  BOOST_TEST(s.warning() == "TopologyIgnored");
}

BOOST_AUTO_TEST_CASE(a_refusal_is_told_when_it_has_lasted) {
  fixture s{make_job().workers(2)};
  s.see_group(2, fixture::refused("Unschedulable", "no room"));
  auto early = core::find_lasting_refusal(s.seen, s.j, base_time + 29s);
  BOOST_TEST(!early.group);
  BOOST_TEST((early.look_again_at == base_time + 30s));
  auto found = core::find_lasting_refusal(s.seen, s.j, base_time + 30s);
  BOOST_REQUIRE(found.group);
  auto events = s.seen.record_not_admitted_reason(
      core::child_kind::native_group, "group-tfjob-job-job-uid",
      found.problem.reason, found.problem.message);
  BOOST_REQUIRE_EQUAL(events.size(), 1u);
  BOOST_TEST(events[0].message == "PodGroup tfjob-job-job-uid: no room");
  // Its text grows.
  s.see_group(2, fixture::refused("Unschedulable", "no room, no room"));
  BOOST_TEST(!core::find_lasting_refusal(s.seen, s.j, base_time + 60s).group);
}

BOOST_AUTO_TEST_CASE(suspended_or_finished_it_has_none) {
  fixture s{make_job().workers(2).suspended()};
  s.see_group(2);
  s.native_pass();
  BOOST_TEST(s.count_decisions("delete pod group") == 1);
}

BOOST_AUTO_TEST_SUITE_END()
