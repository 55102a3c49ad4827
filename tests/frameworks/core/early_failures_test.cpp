// Pods that fail at once are replaced ever more slowly.
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(early_failures_test)

namespace {

constexpr const char* note = "training.kubeflow.org/early-failures";

/// A job of one worker, whose pods are made and end one after the other.
struct unlucky {
  job_fixture s{make_job().workers(1).restart_policy("OnFailure")};
  int number = 0;
  std::string uid{};
  k8s::time_point born{};
  std::chrono::seconds life{};
  std::int32_t annotation = 0; ///< As it is on the server.

  unlucky() { s.all_services(); }

  child_builder worker() {
    auto p =
        pod("worker", 0).uid(uid).version(static_cast<std::uint64_t>(++number));
    if (annotation > 0)
      p.annotated(note, std::to_string(annotation));
    return p;
  }
  /// The pass must want one; the body it gets says what the server knows.
  void begin() {
    s.pass_and_save();
    BOOST_REQUIRE_EQUAL(s.last.decisions.size(), 1u);
    const auto& made = std::get<core::create_child>(s.last.decisions[0]);
    auto body = json::parse(
        *core::make_pod_json(s.j, made.at, {}, made.early_failures));
    const auto& meta = body["metadata"];
    annotation = meta.contains("annotations")
                     ? std::stoi(meta["annotations"][note].get<std::string>())
                     : 0;
    uid = "pod-" + std::to_string(++number);
    born = s.now;
    s.observe(worker().ran(born, 0s).running());
  }
  void fail_after(std::chrono::seconds length) {
    life = length;
    s.now += length;
    s.observe(worker().ran(born, life).failed(1));
    s.pass_and_save();
  }
  /// Time passes until it is to be removed; returns how long that takes.
  std::chrono::seconds wait() {
    auto begin = s.now;
    for (int i = 0;
         i < 5 && s.decisions() != strings{"delete pod job-worker-0"}; ++i) {
      if (s.decisions() == strings{"annotate pod job-worker-0"}) {
        annotation =
            std::get<core::annotate_pod>(s.last.decisions[0]).early_failures;
        s.observe(worker().ran(born, life).failed(1));
      } else {
        BOOST_REQUIRE(s.last.requeue_at.has_value());
        s.now = *s.last.requeue_at;
      }
      s.pass_and_save();
    }
    BOOST_TEST(s.decisions() == (strings{"delete pod job-worker-0"}),
               boost::test_tools::per_element());
    s.seen.mark_delete_accepted(core::child_kind::pod, uid);
    s.seen.record_deleted(core::child_kind::pod, uid);
    return std::chrono::duration_cast<std::chrono::seconds>(s.now - begin);
  }
  /// All is forgotten but what is on the server.
  void operator_restarts() {
    job_fixture fresh{s.j};
    fresh.saved = fresh.status = s.saved;
    fresh.now = s.now;
    s = std::move(fresh);
    s.all_services().observe({worker().ran(born, life).failed(1)});
    s.pass_and_save();
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(
    the_first_is_replaced_at_once_the_others_after_a_back_off) {
  unlucky u;
  for (auto wait : {0s, 10s, 20s, 40s, 80s, 160s, 300s, 300s}) {
    u.begin();
    u.fail_after(2s);
    BOOST_TEST((u.wait() == wait), wait.count());
  }
}

BOOST_AUTO_TEST_CASE(a_longer_life_ends_the_row) {
  unlucky u;
  for (int i = 0; i < 4; ++i) {
    u.begin();
    u.fail_after(9s);
    u.wait();
  }
  u.begin();
  BOOST_TEST(u.annotation == 4);
  u.fail_after(10s);
  BOOST_TEST((u.wait() == 0s));
  u.begin();
  BOOST_TEST(u.annotation == 0);
  u.fail_after(1s);
  BOOST_TEST((u.wait() == 0s));
  u.begin();
  u.fail_after(1s);
  BOOST_TEST((u.wait() == 10s));
}

BOOST_AUTO_TEST_CASE(a_restart_of_the_operator_shortens_no_wait) {
  unlucky u;
  for (auto wait : {0s, 10s, 20s, 40s}) {
    u.begin();
    u.fail_after(2s);
    if (wait > 0s) { // It fails when the wait has begun.
      if (u.s.decisions() == strings{"annotate pod job-worker-0"})
        u.annotation =
            std::get<core::annotate_pod>(u.s.last.decisions[0]).early_failures;
      u.s.now += 3s;
      u.operator_restarts();
      wait -= 3s;
    }
    BOOST_TEST((u.wait() == wait), wait.count());
  }
}

BOOST_AUTO_TEST_CASE(a_pod_that_never_started_failed_early) {
  using k8s::pod_phase;
  auto seen = [](child_builder p) {
    job_fixture s{make_job().workers(1).restart_policy("OnFailure")};
    s.observe({std::move(p)});
    return *s.seen.pods().begin();
  };
  auto then = base_time;
  // Refused by the kubelet, without any container.
  BOOST_TEST(seen(pod("worker", 0).in(pod_phase::failed)).failed_early);
  // It waited for a node, not for its end.
  auto late = pod("worker", 0).ran(then, 0s).failed(128);
  late.state().started = then + 1h;
  BOOST_TEST(seen(late).failed_early);
  // An eviction may leave no word of the containers, but when it was ready.
  auto evicted = pod("worker", 0).in(pod_phase::failed);
  evicted.state().started = then;
  evicted.state().conditions.push_back({"Ready", "False", "", "", then + 1h});
  BOOST_TEST(!seen(evicted).failed_early);
  BOOST_TEST((seen(evicted).ended == then + 1h));
  // Deleted or disrupted: not by itself.
  BOOST_TEST(
      !seen(pod("worker", 0).ran(then, 1s).failed().deleting()).failed_early);
  BOOST_TEST(
      !seen(pod("worker", 0).ran(then, 1s).failed().disrupted()).failed_early);
}

BOOST_AUTO_TEST_CASE(a_wait_is_told_and_explained) {
  unlucky u;
  u.begin();
  u.fail_after(2s);
  u.wait();
  u.begin();
  u.s.now += 2s;
  auto failed = u.worker().ran(u.born, 2s).failed(1);
  auto events =
      record_seen(u.s.seen, core::child_kind::pod, failed.object(u.s.j), u.s.j)
          .events;
  BOOST_REQUIRE_EQUAL(events.size(), 2u);
  const std::string text = "job-worker-0 failed within 10 s of its start, 2 "
                           "times in a row; it is replaced at "
                           + k8s::to_rfc3339(u.s.now + 10s);
  BOOST_TEST(events[1].warning);
  BOOST_TEST(events[1].reason == "BackOff");
  BOOST_TEST(events[1].message == "Pod: " + text);
  u.s.pass();
  BOOST_TEST(u.s.last.summary == "0 of 1 replicas run, 1 have failed; " + text);
  BOOST_TEST((u.s.last.requeue_at == u.s.now + 10s));
}

BOOST_AUTO_TEST_CASE(an_annotation_that_makes_no_sense_says_nothing) {
  for (const char* value : {"", "-3", "many", "07", "99999999999999999999"}) {
    job_fixture s{make_job().workers(1).restart_policy("OnFailure")};
    s.all_services().observe(
        {pod("worker", 0).ran(base_time, 1s).failed().annotated(note, value)});
    s.pass();
    BOOST_TEST(s.decisions() == (strings{"delete pod job-worker-0"}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
