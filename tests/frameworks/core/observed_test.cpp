#include "frameworks/core/observed.hpp"
#include "frameworks/core/pod_events.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

namespace {

struct watcher {
  core::job j = make_job().workers(2);
  core::observed seen{};
  bool changed = false;

  strings observe(const child_builder& c, std::uint64_t list_number = 1) {
    strings out;
    for (const auto& t :
         seen.record_seen(c.what(), c.object(j), j, list_number, changed))
      out.push_back((t.warning ? "W " : "N ") + t.reason + " " + t.message);
    return out;
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(observing)

BOOST_AUTO_TEST_CASE(older_news_never_overwrites_newer) {
  watcher w;
  w.observe(pod("worker", 0).running().version(5));
  BOOST_TEST(w.changed);
  w.observe(pod("worker", 0).version(4));
  BOOST_TEST(!w.changed);
  w.observe(pod("worker", 0).version(5));
  BOOST_TEST(!w.changed);
  BOOST_TEST((w.seen.pods().begin()->second.phase == k8s::pod_phase::running));
}

BOOST_AUTO_TEST_CASE(news_that_no_pass_reads_changes_nothing) {
  watcher w;
  w.observe(pod("worker", 0).running());
  w.observe(pod("worker", 0).running().version(2));
  BOOST_TEST(!w.changed);
  w.observe(pod("worker", 0).running(1).version(3));
  BOOST_TEST(w.changed);
}

BOOST_AUTO_TEST_CASE(labels_name_the_slot_state_or_none) {
  struct row {
    const char* index;
    int place;
  } rows[] = {{"0", 0},   {"17", 17},         {"-1", -1}, {"", -1},
              {"x", -1},  {"1x", -1},         {"01", -1}, {"+1", -1},
              {" 1", -1}, {"99999999999", -1}};
  for (const auto& r : rows) {
    watcher w;
    w.observe(pod("worker", 0).index(r.index));
    BOOST_TEST(w.seen.pods().begin()->second.at.index == r.place, r.index);
  }
}

BOOST_AUTO_TEST_CASE(what_becomes_a_strangers_is_lost_to_us) {
  watcher w;
  w.observe(pod("worker", 0));
  w.observe(pod("worker", 0).owned_by("them").version(2));
  BOOST_TEST(w.changed);
  BOOST_TEST(w.seen.pods().empty());
  w.observe(pod("worker", 0).owned_by("them").version(3));
  BOOST_TEST(!w.changed);
}

BOOST_AUTO_TEST_CASE(an_orphan_is_known_while_its_labels_match) {
  watcher w;
  w.observe(pod("worker", 0).orphan());
  BOOST_TEST(w.changed);
  BOOST_TEST(!w.seen.pods().begin()->second.owned);
  w.observe(pod("worker", 0).orphan().of_job("b").version(2));
  BOOST_TEST(w.seen.pods().empty());
}

BOOST_AUTO_TEST_CASE(nobody_comes_back_from_termination) {
  watcher w;
  w.observe(pod("worker", 0).running());
  w.seen.mark_delete_accepted(core::child_kind::pod, "pod-worker-0");
  // Written before the deletion, seen after its answer.
  w.observe(pod("worker", 0).running(1).version(2));
  BOOST_TEST(w.seen.pods().begin()->second.terminating);
}

BOOST_AUTO_TEST_CASE(a_complete_list_ends_what_it_does_not_confirm) {
  watcher w;
  w.observe(pod("worker", 0).version(10), 1);
  w.observe(pod("worker", 1).version(11), 1);
  w.observe(pod("worker", 2).version(30), 0); // Our own, younger than the list.
  w.observe(pod("worker", 3).version(20), 0); // Our own, and gone since.
  w.observe(pod("worker", 0).version(10), 2); // Confirmed.
  BOOST_TEST(w.seen.remove_unlisted(core::child_kind::pod, 2, 25));
  BOOST_TEST(w.seen.pods().size() == 2u);
  BOOST_TEST(w.seen.pods().count("pod-worker-0") == 1u);
  BOOST_TEST(w.seen.pods().count("pod-worker-2") == 1u);
  BOOST_TEST(!w.seen.remove_unlisted(core::child_kind::pod, 2, 25));
}

BOOST_AUTO_TEST_CASE(a_late_answer_brings_back_nothing_a_list_has_missed) {
  watcher w;
  w.seen.remove_unlisted(core::child_kind::pod, 1, 25);
  w.observe(pod("worker", 0).version(20), 0);
  BOOST_TEST(w.seen.pods().empty());
  w.observe(pod("worker", 0).version(26), 0);
  BOOST_TEST(w.seen.pods().size() == 1u);
}

BOOST_AUTO_TEST_CASE(losing_what_was_not_known_is_nothing) {
  watcher w;
  BOOST_TEST(!w.seen.record_gone(core::child_kind::pod, "x"));
  w.observe(service("worker", 0));
  BOOST_TEST(w.seen.record_gone(core::child_kind::service, "service-worker-0"));
}

BOOST_AUTO_TEST_CASE(an_exit_is_told_once) {
  watcher w;
  w.observe(pod("worker", 0).running());
  const strings exit{
      "N ExitedWithCode Pod: ns.job-worker-0 exited with code 1"};
  BOOST_TEST(w.observe(pod("worker", 0).failed(1).version(2)) == (exit),
             boost::test_tools::per_element());
  BOOST_TEST(w.observe(pod("worker", 0).failed(1).version(3)) == (strings{}),
             boost::test_tools::per_element());
  BOOST_TEST(w.observe(pod("worker", 1).failed(1).orphan()) == (strings{}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_any_retries_the_limit_is_told_not_the_exit) {
  struct row {
    int limit;
    child_builder pod;
    bool events;
  } rows[] = {{0, pod("worker", 0).failed(1), false},
              {-1, pod("worker", 0).failed(1), false},
              {1, pod("worker", 0).failed(1), true},
              {0, pod("worker", 0).succeeded(), true},
              {0, pod("worker", 0).failed(143).deleting(), true}};
  for (auto& r : rows) {
    watcher w;
    w.j = make_job().workers(2).backoff_limit(r.limit);
    BOOST_TEST(w.observe(r.pod).size() == (r.events ? 1u : 0u));
  }
}

BOOST_AUTO_TEST_CASE(a_disruption_is_told_once) {
  watcher w;
  w.observe(pod("worker", 0).running());
  auto ended = pod("worker", 0).failed(143).disrupted("DeletionByPodGC");
  ended.state().conditions[0].message = "node not found";
  const strings events{
      "N ExitedWithCode Pod: ns.job-worker-0 exited with code 143",
      "N PodDisrupted Pod: ns.job-worker-0 was disrupted "
      "(DeletionByPodGC) and does not count as failed: node not "
      "found"};
  BOOST_TEST(w.observe(ended.version(2)) == (events),
             boost::test_tools::per_element());
  BOOST_TEST(w.observe(ended.version(3)) == (strings{}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(whoever_failed_when_the_job_ended_is_told_of) {
  struct row {
    k8s::pod_phase phase;
    bool known, going;
    std::chrono::seconds after; // The end of the job.
    bool events;
  } rows[] = {
      {k8s::pod_phase::failed, true, false, 0s, true},
      {k8s::pod_phase::failed, true, false, 1s, true},
      {k8s::pod_phase::failed, true, false, -5s, true},
      // Later than that, it had no part in it; nor had one that is cleaned up.
      {k8s::pod_phase::failed, true, false, 2s, false},
      {k8s::pod_phase::failed, true, true, 0s, false},
      {k8s::pod_phase::succeeded, true, false, 0s, false},
      // Another process has recorded it before.
      {k8s::pod_phase::failed, false, false, 0s, false},
  };
  core::job_status over;
  over.completed = base_time;
  for (const auto& r : rows) {
    core::child_view v;
    v.phase = r.phase;
    v.terminating = r.going;
    v.ended = base_time + r.after;
    std::vector<core::job_event> events{{false, "ExitedWithCode", ""},
                                        {true, "BackOff", ""}};
    auto left = core::events_after_end(events, r.known, v, over);
    BOOST_TEST(left.size() == (r.events ? 1u : 0u));
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_told_of_a_job_put_to_sleep) {
  watcher w;
  w.j = make_job().workers(2).suspended();
  BOOST_TEST(w.observe(pod("worker", 0).failed(143)) == (strings{}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_keeps_a_pod_from_getting_on_is_told_once) {
  using kind = k8s::container_status::state_kind;
  watcher w;
  auto waiting = pod("worker", 0);
  k8s::container_status c;
  c.name = "tensorflow";
  c.state = kind::waiting;
  c.reason = "ImagePullBackOff";
  c.message = "no such image";
  waiting.state().containers = {c};
  const strings events{"W ImagePullBackOff Error pod job-worker-0 container "
                       "tensorflow waiting message: no such image"};
  BOOST_TEST(w.observe(waiting) == (events), boost::test_tools::per_element());
  BOOST_TEST(w.observe(waiting.version(2)) == (strings{}),
             boost::test_tools::per_element());

  auto crashed = pod("worker", 1).in(k8s::pod_phase::running);
  c.state = kind::terminated;
  c.reason = "Error";
  c.message = "";
  c.exit_code = 3;
  crashed.state().containers = {c};
  BOOST_TEST(
      w.observe(crashed)
          == (strings{"N ExitedWithCode Pod: ns.job-worker-1 exited with "
                      "code 3",
                      "W Error Error pod job-worker-1 container tensorflow "
                      "exitCode: 3 terminated message: "}),
      boost::test_tools::per_element());

  auto unscheduled = pod("worker", 2);
  unscheduled.state().conditions = {
      {"Old", "True", "Fine", "", base_time},
      {"PodScheduled", "False", "Unschedulable", "no node", base_time + 1s}};
  BOOST_TEST(w.observe(unscheduled)
                 == (strings{"W Unschedulable Error pod job-worker-2 condition "
                             "message: no node"}),
             boost::test_tools::per_element());

  auto starting = pod("worker", 3); // Waiting without a message is normal.
  c.state = kind::waiting;
  c.reason = "ContainerCreating";
  c.message = "";
  starting.state().containers = {c};
  BOOST_TEST(w.observe(starting) == (strings{}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(who_vanishes_with_restarts_is_remembered) {
  watcher w;
  w.observe(pod("worker", 0).running(2));
  w.observe(pod("worker", 1).running());
  w.observe(pod("worker", 2).succeeded().restarted(1));
  for (const char* uid : {"pod-worker-0", "pod-worker-1", "pod-worker-2"})
    w.seen.record_gone(core::child_kind::pod, uid);
  BOOST_REQUIRE_EQUAL(w.seen.vanished().size(), 1u);
  BOOST_TEST(w.seen.vanished()[0].restarts == 2);
  w.seen.forget_vanished();
  BOOST_TEST(w.seen.vanished().empty());
}

BOOST_AUTO_TEST_SUITE_END()
