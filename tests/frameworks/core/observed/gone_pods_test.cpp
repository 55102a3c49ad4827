#include "frameworks/core/observed/gone_pods.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "tests/frameworks/core/observed/observed_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using namespace troupe;
using namespace troupe::fixtures;
using core::child_kind;
using core::child_view;

BOOST_AUTO_TEST_SUITE(gone_pods_test)

namespace {

child_view worker(int index, std::int32_t attempt = 0) {
  child_view v;
  v.uid = core::uid_key{"worker-" + std::to_string(index) + "-of-"
                        + std::to_string(attempt)};
  v.at = {"worker", index};
  v.attempt = attempt;
  v.owned = v.labels_match_job = true;
  return v;
}

child_view launcher_job(const char* uid) {
  child_view v;
  v.uid = core::uid_key{uid};
  v.owned = true;
  v.batch_job = std::make_shared<const k8s::batch_job_state>();
  return v;
}

} // namespace

BOOST_AUTO_TEST_CASE(who_vanishes_with_restarts_is_remembered) {
  observed_fixture w;
  w.observe(pod("worker", 0).running(2));
  w.observe(pod("worker", 1).running());
  w.observe(pod("worker", 2).succeeded().restarted(1));
  for (const char* uid : {"pod-worker-0", "pod-worker-1", "pod-worker-2"})
    w.seen.record_deleted(child_kind::pod, uid);
  auto& gone = w.seen.gone();
  BOOST_REQUIRE_EQUAL(gone.with_unsaved_restarts().size(), 1u);
  BOOST_TEST(gone.with_unsaved_restarts()[0].restarts == 2);
  gone.forget_unsaved_restarts({core::uid_key{"pod-worker-1"}});
  BOOST_TEST(gone.with_unsaved_restarts().size() == 1u);
  gone.forget_unsaved_restarts({core::uid_key{"pod-worker-0"}});
  BOOST_TEST(gone.with_unsaved_restarts().empty());
}

BOOST_AUTO_TEST_CASE(a_pod_is_lost_unless_it_was_to_end) {
  struct row {
    const char* what;
    std::function<void(child_view&)> change;
    bool lost;
  } rows[] = {
      {"it is gone", [](auto&) {}, true},
      {"it failed", [](auto& v) { v.phase = k8s::pod_phase::failed; }, true},
      {"it succeeded", [](auto& v) { v.phase = k8s::pod_phase::succeeded; },
       false},
      {"we deleted it", [](auto& v) { v.delete_requested = true; }, false},
      {"we are deleting it", [](auto& v) { v.delete_in_flight = true; }, false},
      {"an orphan", [](auto& v) { v.owned = false; }, false},
      {"another job's by its labels",
       [](auto& v) { v.labels_match_job = false; }, false},
  };
  for (const auto& r : rows) {
    core::gone_pods gone;
    gone.set_keeps_lost(true);
    auto pod = worker(0);
    r.change(pod);
    gone.record(child_kind::pod, pod, {}, nullptr);
    BOOST_TEST(gone.lost().size() == (r.lost ? 1u : 0u), r.what);
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_lost_of_a_job_that_restarts_pods_alone) {
  core::gone_pods gone;
  gone.record(child_kind::pod, worker(0), {}, nullptr);
  BOOST_TEST(gone.lost().empty());
  gone.set_keeps_lost(true);
  gone.record(child_kind::pod, worker(0), {}, nullptr);
  BOOST_TEST(gone.lost().size() == 1u);
  gone.set_keeps_lost(false);
  BOOST_TEST(gone.lost().empty());
}

BOOST_AUTO_TEST_CASE(a_launcher_job_that_is_gone_is_its_pod_that_is_lost) {
  core::launcher_jobs launchers;
  launchers.set_type("launcher");
  core::gone_pods gone;
  gone.set_keeps_lost(true);
  auto finished = launcher_job("a");
  k8s::batch_job_state state;
  state.complete = true;
  finished.batch_job = std::make_shared<const k8s::batch_job_state>(state);
  gone.record(child_kind::launcher_job, finished, launchers, nullptr);
  BOOST_TEST(gone.lost().empty());
  gone.record(child_kind::launcher_job, launcher_job("b"), launchers, nullptr);
  BOOST_REQUIRE(gone.lost().size() == 1u);
  BOOST_TEST((gone.lost()[0].at == core::slot{"launcher", 0}));
}

BOOST_AUTO_TEST_CASE(a_launchers_pod_is_lost_while_its_job_is_there) {
  auto maker = launcher_job("a");
  auto pod = worker(0);
  pod.owned = false;
  pod.made_by_job = maker.uid;
  auto lost = [&](const child_view* launcher) {
    core::gone_pods gone;
    gone.set_keeps_lost(true);
    gone.record(child_kind::pod, pod, {}, launcher);
    return gone.lost().size();
  };
  BOOST_TEST(lost(&maker) == 1u);
  BOOST_TEST(lost(nullptr) == 0u);
  auto other = launcher_job("b");
  BOOST_TEST(lost(&other) == 0u);
  maker.delete_requested = true;
  BOOST_TEST(lost(&maker) == 0u);
}

BOOST_AUTO_TEST_CASE(a_lost_pod_is_settled_by_another_or_by_a_restart) {
  const core::job two = make_job().workers(2);
  core::recovery_status saved;
  saved.attempt = 1;
  struct row {
    const char* what;
    child_view pod;
    std::set<core::slot> filled;
    bool kept;
  } rows[] = {
      {"nothing has become of it", worker(0, 1), {}, true},
      {"another slot is filled", worker(0, 1), {{"worker", 1}}, true},
      {"its slot is filled", worker(0, 1), {{"worker", 0}}, false},
      {"of an attempt that is over", worker(0, 0), {}, false},
      {"the job has no such replica any more", worker(2, 1), {}, false},
  };
  for (const auto& r : rows) {
    core::gone_pods gone;
    gone.set_keeps_lost(true);
    gone.record(child_kind::pod, r.pod, {}, nullptr);
    gone.forget_settled_lost(two, saved, r.filled);
    BOOST_TEST(gone.lost().size() == (r.kept ? 1u : 0u), r.what);
  }
}

BOOST_AUTO_TEST_CASE(early_failures_are_counted_until_a_pod_lives_longer) {
  core::gone_pods gone;
  auto pod = worker(0);
  pod.failed_early = true;
  for (int i = 0; i < 3; ++i) {
    pod.early_failures = gone.early_failure_count(pod.at);
    BOOST_TEST(pod.early_failures == i);
    gone.record(child_kind::pod, pod, {}, nullptr);
  }
  BOOST_TEST(gone.early_failure_count({"worker", 1}) == 0);
  pod.failed_early = false;
  gone.record(child_kind::pod, pod, {}, nullptr);
  BOOST_TEST(gone.early_failure_count(pod.at) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
