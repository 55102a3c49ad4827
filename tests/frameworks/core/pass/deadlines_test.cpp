#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(deadlines_test)

BOOST_AUTO_TEST_CASE(a_job_fails_at_the_very_moment_and_keeps_its_counts) {
  job_fixture s{make_job().workers(2).active_deadline(60)};
  s.now += 400ms; // The start is kept in whole seconds.
  s.all_services().observe({pod("worker", 0).running(), pod("worker", 1)});
  s.pass();
  BOOST_TEST((s.status.start_time == base_time));
  BOOST_TEST((s.last.requeue_at == base_time + 60s));

  s.now = base_time + 60s - 1ms;
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running");

  s.now = base_time + 60s;
  s.pass();
  BOOST_TEST(s.conditions() == "Created Running=False Failed");
  BOOST_TEST(s.status.replicas.at("Worker").active == 1);
  BOOST_TEST((s.status.completion_time == s.now));
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  BOOST_TEST(
      s.events()
          == (strings{"Normal TFJobFailed Job job has failed because it was "
                      "active longer than specified deadline"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(numbers_of_seconds_may_be_as_large_as_they_can) {
  for (std::int64_t n : {INT64_MIN, INT64_MIN + 1, -(std::int64_t{1} << 40),
                         std::int64_t{-1'000'000'000'000}, std::int64_t{-1}}) {
    job_fixture s{make_job().workers(1).policy("activeDeadlineSeconds", n)};
    s.pass_and_save();
    s.pass_and_save();
    BOOST_TEST(s.status.is_condition_true("Failed"), n);
    job_fixture t{make_job().workers(1).policy("ttlSecondsAfterFinished", n)};
    t.observe({pod("worker", 0).succeeded(), service("worker", 0)});
    t.pass_and_save();
    t.pass_and_save();
    BOOST_TEST(t.decisions() == (strings{"delete the job"}),
               boost::test_tools::per_element());
  }
  for (std::int64_t n : {INT64_MAX, INT64_MAX - 1, std::int64_t{1} << 40}) {
    job_fixture s{make_job()
                      .workers(1)
                      .policy("activeDeadlineSeconds", n)
                      .policy("ttlSecondsAfterFinished", n)};
    s.pass_and_save();
    s.observe({pod("worker", 0).succeeded(), service("worker", 0)});
    s.pass_and_save();
    s.pass_and_save();
    BOOST_TEST(s.conditions() == "Created Succeeded", n);
    BOOST_TEST(s.decisions().empty());
  }
}

BOOST_AUTO_TEST_CASE(an_edited_deadline_counts_at_once) {
  job_fixture s{make_job().workers(1).active_deadline(600)};
  s.pass();
  s.now += 60s;
  s.j = make_job().workers(1).active_deadline(120);
  s.pass();
  BOOST_TEST((s.last.requeue_at == base_time + 120s));
  s.j = make_job().workers(1).active_deadline(30);
  s.pass();
  BOOST_TEST(s.status.is_finished());
}

BOOST_AUTO_TEST_CASE(time_asleep_does_not_count) {
  job_fixture s{make_job().workers(1).active_deadline(60)};
  s.pass();
  s.j = make_job().workers(1).active_deadline(60).suspended();
  s.now += 1h;
  s.pass();
  BOOST_TEST(!s.status.is_finished());
  BOOST_TEST(!s.last.requeue_at.has_value());
  s.j = make_job().workers(1).active_deadline(60);
  s.pass();
  BOOST_TEST(!s.status.is_finished());
  BOOST_TEST((s.last.requeue_at == s.now + 60s));
}

BOOST_AUTO_TEST_CASE(an_expired_job_goes_strictly_after_its_time) {
  job_fixture s{make_job().workers(1).ttl(10)};
  s.all_services().observe({pod("worker", 0).succeeded()});
  s.pass_and_save();
  s.now += 10s;
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  BOOST_REQUIRE(s.last.requeue_at.has_value());
  s.now = *s.last.requeue_at;
  BOOST_TEST((s.now - base_time < 10s + 1ms));
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"delete the job"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_job_is_never_removed_before_its_end_is_saved) {
  job_fixture s{make_job().workers(1).ttl(0)};
  s.all_services().observe({pod("worker", 0).succeeded()});
  s.pass();
  s.now += 1h;
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  s.save();
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"delete the job"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_finished_job_that_is_suspended_stays) {
  job_fixture s{make_job().workers(1).ttl(10)};
  s.all_services().observe({pod("worker", 0).succeeded()});
  s.pass_and_save();
  s.j = make_job().workers(1).ttl(10).suspended();
  s.now += 1h;
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  BOOST_TEST(!s.last.requeue_at.has_value());
}

BOOST_AUTO_TEST_CASE(times_beyond_all_time_never_come) {
  job_fixture s{make_job().workers(1)};
  s.j.policy.active_deadline = std::chrono::seconds{INT64_MAX};
  s.j.policy.ttl_after_finished = std::chrono::seconds{INT64_MAX};
  s.pass();
  BOOST_TEST(!s.last.requeue_at.has_value());
  s.all_services().observe({pod("worker", 0).succeeded()});
  s.pass_and_save();
  s.pass();
  BOOST_TEST(!s.last.requeue_at.has_value());
}

BOOST_AUTO_TEST_CASE(time_passes_while_pods_are_refused) {
  // By a quota or PodSecurity: as with batch Jobs, startTime is what counts.
  job_fixture s{make_job().workers(1).active_deadline(60)};
  s.all_services();
  s.pass_and_save();
  BOOST_TEST((s.status.start_time == base_time));
  s.open.block_creation_after_failure(
      {core::child_kind::pod, core::slot{"worker", 0}}, s.now + 1h);
  s.now += 59s;
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created");
  BOOST_TEST((s.last.requeue_at == base_time + 60s));
  s.now += 1s;
  s.pass_and_save();
  BOOST_TEST(s.conditions() == "Created Failed");
}

BOOST_AUTO_TEST_SUITE_END()
