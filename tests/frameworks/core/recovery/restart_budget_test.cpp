// How often a job is restarted, and when.
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(restart_budget_test)

namespace {

/// The one worker of the attempt has failed after a minute; then it is gone,
/// and the attempt over.
void fail_and_restart(job_fixture& s, int attempt) {
  s.observe({pod_of_attempt("worker", 0, attempt)
                 .ran(s.now, std::chrono::seconds{60})
                 .failed(1)});
  s.pass_and_save();
  s.pass_and_save();
  s.accept_deletions();
  s.remove_pods();
}

} // namespace

BOOST_AUTO_TEST_CASE(the_budget_is_neither_exceeded_nor_undershot) {
  auto b =
      make_job().failure_policy({{"restartScope", "Job"}, {"maxRestarts", 2}});
  job_fixture s{b.workers(1)};
  s.all_services();
  for (int attempt = 0; attempt < 3; ++attempt) {
    BOOST_TEST(!s.status.is_condition_true("Failed"));
    s.observe({pod_of_attempt("worker", 0, attempt)
                   .ran(s.now, std::chrono::seconds{60})
                   .failed(1)});
    s.pass_and_save();
    s.pass_and_save();
    s.accept_deletions();
    if (attempt < 2)
      s.remove_pods();
  }
  BOOST_TEST(s.status.recovery->attempt == 2);
  const auto* failed = s.status.find_condition("Failed");
  BOOST_REQUIRE(failed);
  BOOST_TEST(failed->message
             == "Job job has failed because it was restarted 2 times");
  BOOST_TEST(failed->reason == "TFJobFailed");
}

BOOST_AUTO_TEST_CASE(restarts_before_the_window_do_not_count) {
  auto b = make_job().failure_policy(
      {{"restartScope", "Job"}, {"maxRestarts", 1}, {"restartWindow", "6h"}});
  job_fixture s{b.workers(1)};
  s.all_services();
  fail_and_restart(s, 0);
  s.now += std::chrono::hours{6};
  fail_and_restart(s, 1);
  BOOST_TEST(s.status.recovery->attempt == 2);
  BOOST_TEST(s.status.recovery->counted_times.size() == 1U);
  s.now += std::chrono::hours{5};
  s.observe({pod_of_attempt("worker", 0, 2)
                 .ran(s.now, std::chrono::seconds{60})
                 .failed(1)});
  s.pass_and_save();
  const auto* failed = s.status.find_condition("Failed");
  BOOST_REQUIRE(failed);
  BOOST_TEST(failed->message
             == "Job job has failed because it was restarted 1 time within "
                "6h");
}

BOOST_AUTO_TEST_CASE(without_a_budget_of_its_own_backoff_limit_holds) {
  for (int limit : {0, 1, 2}) {
    auto b = make_job().failure_policy({{"restartScope", "Job"}});
    job_fixture s{b.workers(1).backoff_limit(limit)};
    s.all_services();
    for (int attempt = 0; attempt < limit; ++attempt) {
      fail_and_restart(s, attempt);
    }
    s.observe({pod_of_attempt("worker", 0, limit).failed(1)});
    s.pass_and_save();
    const auto* failed = s.status.find_condition("Failed");
    BOOST_TEST_CONTEXT(limit) {
      BOOST_TEST(s.status.recovery->attempt == limit);
      BOOST_REQUIRE(failed);
      BOOST_TEST(failed->message
                 == "Job job has failed because it has reached the specified "
                    "backoff limit");
    }
  }
}

BOOST_AUTO_TEST_CASE(attempts_that_end_early_are_delayed) {
  auto b = make_job().failure_policy({{"restartScope", "Job"}});
  job_fixture s{b.workers(1)};
  s.all_services();
  long long delays[] = {0, 10, 20, 40, 80, 160, 300, 300};
  int attempt = 0;
  for (auto delay : delays) {
    s.observe(
        {pod_of_attempt("worker", 0, attempt)
             .ran(s.now - std::chrono::seconds{5}, std::chrono::seconds{5})
             .failed(1)});
    s.pass_and_save();
    s.pass_and_save();
    s.accept_deletions();
    s.remove_pods();
    ++attempt;
    BOOST_TEST(s.status.recovery->attempt == attempt);
    s.pass_and_save();
    BOOST_TEST_CONTEXT(delay) {
      BOOST_TEST(s.count_decisions("create pod") == (delay == 0 ? 1 : 0));
      if (delay > 0) {
        BOOST_REQUIRE(s.last.requeue_at);
        BOOST_TEST((*s.last.requeue_at - s.now == std::chrono::seconds{delay}));
        s.now += std::chrono::seconds{delay};
        s.pass_and_save();
        BOOST_TEST(s.count_decisions("create pod") == 1);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
