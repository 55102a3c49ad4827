// Which failure restarts what, and which ends the job.
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(restart_rules_test)

BOOST_AUTO_TEST_CASE(the_strongest_of_several_rules_decides) {
  json rules = json::array(
      {exit_code_rule("FailJob", 42), exit_code_rule("RestartJob", 5),
       exit_code_rule("RestartReplicaType", 4), exit_code_rule("RestartPod", 3),
       exit_code_rule("Ignore", 2)});
  struct row {
    int codes[2];
    int attempt;
    const char* conditions;
    strings decisions;
  } rows[] = {
      {{42, 5}, 0, "Created Failed", {}},
      {{5, 4},
       1,
       "Created Restarting",
       {"delete pod job-worker-0", "delete pod job-worker-1"}},
      {{4, 3},
       1,
       "Created Restarting",
       {"delete pod job-worker-0", "delete pod job-worker-1"}},
      {{3, 2},
       0,
       "Created Restarting",
       {"delete pod job-worker-0", "delete pod job-worker-1"}},
      {{2, 0}, 0, "Created Running", {"delete pod job-worker-0"}},
  };
  for (const auto& r : rows) {
    auto b = make_job().failure_policy({{"rules", rules}});
    job_fixture s{b.workers(2).restart_policy("Never")};
    s.all_services();
    for (int i = 0; i < 2; ++i) {
      auto p =
          pod_of_attempt("worker", i, 0).ran(s.now, std::chrono::seconds{60});
      s.observe(r.codes[i] == 0 ? p.running() : p.failed(r.codes[i]));
    }
    s.pass_and_save();
    if (r.attempt > 0)
      s.pass_and_save();
    BOOST_TEST_CONTEXT(r.codes[0] << " " << r.codes[1]) {
      BOOST_TEST(s.conditions() == r.conditions);
      BOOST_TEST(s.status.recovery->attempt == r.attempt);
      if (!s.status.is_finished())
        BOOST_TEST(s.decisions() == r.decisions,
                   boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_rule_that_fails_the_job_says_so_of_stopping_pods_too) {
  auto rule = exit_code_rule("FailJob", 42);
  rule["name"] = "bad-data";
  auto b = make_job().failure_policy(
      {{"restartScope", "Job"}, {"rules", json::array({rule})}});
  job_fixture s{b.workers(2)};
  s.all_services();
  s.observe({pod_of_attempt("worker", 0, 0).running(),
             pod_of_attempt("worker", 1, 0).failed(1)});
  s.pass_and_save();
  BOOST_TEST(s.status.recovery->attempt == 1);
  s.observe({pod_of_attempt("worker", 0, 0).failed(42).version(7)});
  s.pass();
  const auto* failed = s.status.find_condition("Failed");
  BOOST_REQUIRE(failed);
  BOOST_TEST(failed->message
             == "Job job has failed because pod job-worker-0 failed with exit "
                "code 42 (Error), by rule bad-data");
}

BOOST_AUTO_TEST_CASE(a_permanent_exit_code_stays_permanent) {
  auto b = make_job().failure_policy({{"restartScope", "Job"}});
  job_fixture s{b.workers(2).restart_policy("ExitCode")};
  s.all_services();
  s.observe({pod_of_attempt("worker", 0, 0).running(),
             pod_of_attempt("worker", 1, 0).failed(1)});
  s.pass();
  BOOST_TEST(s.status.is_condition_true("Failed"));
  BOOST_TEST(s.status.recovery->attempt == 0);
}

BOOST_AUTO_TEST_CASE(what_the_job_has_lost_by_others_counts_against_nothing) {
  auto b =
      make_job().failure_policy({{"restartScope", "Job"}, {"maxRestarts", 0}});
  struct row {
    const char* what;
    child_builder pod;
    const char* reason;
  } rows[] = {
      {"evicted",
       pod_of_attempt("worker", 1, 0)
           .failed({})
           .disrupted("EvictionByEvictionAPI"),
       "EvictionByEvictionAPI"},
      {"deleted", pod_of_attempt("worker", 1, 0).running().deleting(),
       "Deleted"},
  };
  for (auto& r : rows) {
    auto job = b;
    job_fixture s{job.workers(2)};
    s.all_services();
    s.observe({pod_of_attempt("worker", 0, 0).running()});
    s.observe(r.pod);
    s.pass_and_save();
    BOOST_TEST_CONTEXT(r.what) {
      BOOST_TEST(s.conditions() == "Created Restarting");
      BOOST_TEST(s.status.recovery->attempt == 1);
      BOOST_TEST(s.status.recovery->counted == 0);
      BOOST_TEST(s.status.recovery->last.reason == r.reason);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
