#include "frameworks/core/queueing/workload_comparison.hpp"
#include "tests/frameworks/core/pass/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

// What Kueue is told of the pods of a job.

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(queued_pods_test)

using namespace queued;

BOOST_AUTO_TEST_CASE(how_its_pods_are_follows_from_them) {
  struct row {
    const char* what;
    std::vector<child_builder> pods;
    const char* before;
    bool was_ready;
    const char* reason; ///< "": nothing new.
  };
  const row rows[] = {
      {"none", {}, "WaitForStart", false, ""},
      {"running",
       {pod("worker", 0).running(), pod("worker", 1).running()},
       "WaitForStart",
       false,
       ""},
      {"one ready", {pod("worker", 0).ready()}, "WaitForStart", false, ""},
      {"ready",
       {pod("worker", 0).ready(), pod("worker", 1).ready()},
       "WaitForStart",
       false,
       "Started"},
      {"ready or ended",
       {pod("worker", 0).ready(), pod("worker", 1).succeeded()},
       "WaitForStart",
       false,
       "Started"},
      {"one leaves",
       {pod("worker", 0).ready(), pod("worker", 1).ready().deleting()},
       "Started",
       true,
       "WaitForRecovery"},
      {"one lost",
       {pod("worker", 0).ready()},
       "Started",
       true,
       "WaitForRecovery"},
      {"still lost", {pod("worker", 0).ready()}, "WaitForRecovery", false, ""},
      {"back",
       {pod("worker", 0).ready(), pod("worker", 1).ready()},
       "WaitForRecovery",
       false,
       "Recovered"},
      {"back for long",
       {pod("worker", 0).ready(), pod("worker", 1).ready()},
       "Recovered",
       true,
       ""},
  };
  for (const auto& r : rows) {
    BOOST_TEST_CONTEXT(r.what) {
      queue_fixture s{running()};
      s.see(workload().admitted().pods_ready(r.was_ready, r.before));
      for (const auto& p : r.pods)
        s.observe(p);
      s.next();
      const auto* o = s.order();
      auto reason = o && o->what == core::queue_action::report
                        ? o->pods.ready_reason
                        : std::string{};
      // What a pod that has ended gives back is told, too.
      BOOST_TEST(reason == r.reason);
    }
  }
}

BOOST_AUTO_TEST_CASE(pods_that_have_succeeded_give_their_share_back) {
  auto returned = [](const job_builder& b, core::job_status saved = {}) {
    auto w = workload_builder{b}.admitted();
    queue_fixture s{with_grant(b, w)};
    s.saved = s.status = std::move(saved);
    s.see(w).observe({pod("worker", 0).ready(), pod("worker", 1).succeeded()});
    s.next();
    return s.order() ? static_cast<int>(s.order()->pods.returned.size()) : -1;
  };
  auto chief = [] { return plain().chief(); };
  BOOST_TEST(returned(chief()) == 1);
  // A restart of the whole job would make them again.
  BOOST_TEST(
      returned(chief().failure_policy(
          {{"rules",
            {{{"action", "RestartJob"},
              {"onExitCodes", {{"operator", "In"}, {"values", {1}}}}}}}}))
      == 0);
}

// Quota remains for the pods that are there and for those that are still
// needed.
BOOST_AUTO_TEST_CASE(what_is_given_back_is_what_is_not_needed) {
  auto returned = [](int workers, std::vector<child_builder> pods,
                     std::optional<int> granted = {}) {
    auto asked = make_queued_job("PyTorchJob").type("Master", 1).workers(4);
    if (granted)
      asked.with("elasticPolicy", {{"minReplicas", 1}});
    auto w = workload_builder{asked}.admitted();
    if (granted)
      w.grant(1)["count"] = *granted;
    queue_fixture s{with_grant(asked, w).workers(workers)};
    s.see(w).observe(pod("master", 0).running());
    for (const auto& p : pods)
      s.observe(p);
    s.next();
    const auto* o = s.order();
    auto is_report = o && o->what == core::queue_action::report;
    return is_report ? core::count_of(o->pods.returned, "worker", 0) : -1;
  };
  auto done = [](int i) { return pod("worker", i).succeeded(); };
  auto runs = [](int i) { return pod("worker", i).running(); };
  BOOST_TEST(returned(4, {runs(0), runs(1), runs(2), runs(3)}) == 0);
  BOOST_TEST(returned(4, {done(0), runs(1), runs(2), done(3)}) == 2);
  BOOST_TEST(returned(4, {done(0)}) == 1);
  // Kueue charges for what was granted until less is asked for.
  BOOST_TEST(returned(3, {runs(0), runs(1), runs(2)}, 3) == 0);
  BOOST_TEST(returned(3, {done(0), runs(1), runs(2)}, 3) == 2);
  BOOST_TEST(returned(3, {done(0), done(1), runs(2)}, 3) == 3);
}

BOOST_AUTO_TEST_CASE(a_worker_that_has_failed_for_good_is_not_waited_for) {
  auto reason = [](int exit_code) {
    auto b = make_queued_job()
                 .workers(2)
                 .restart_policy("ExitCode")
                 .with("enableDynamicWorker", true);
    auto w = workload_builder{b}.admitted().pods_ready(true, "Started");
    queue_fixture s{with_grant(b, w)};
    s.see(w).observe(
        {pod("worker", 0).ready(), pod("worker", 1).failed(exit_code)});
    s.next();
    return s.order() ? s.order()->pods.ready_reason : std::string{};
  };
  BOOST_TEST(reason(1) == "");
  BOOST_TEST(reason(130) == "WaitForRecovery"); // It is made again.
}

BOOST_AUTO_TEST_CASE(a_pod_of_a_dead_node_keeps_no_quota) {
  queue_fixture s{plain().suspended()};
  s.see(reported().evicted());
  s.observe(pod("worker", 0).running().deleting());
  s.now = base_time + 1s;
  BOOST_TEST(s.next() == strings{}, per_element());
  BOOST_TEST((s.last.requeue_at == base_time + 30s));
  s.now = base_time + 30s;
  BOOST_TEST(s.next() == strings{order_text("give the quota back")},
             per_element());
}

BOOST_AUTO_TEST_SUITE_END()
