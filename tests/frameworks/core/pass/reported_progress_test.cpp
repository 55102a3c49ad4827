#include "frameworks/core/pass/reported_progress.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(reported_progress_test)

namespace {

/// A job of one worker that runs and reports.
struct reporting_fixture : job_fixture {
  reporting_fixture()
      : job_fixture(make_job().workers(1)) {
    all_services();
    observe({pod("worker", 0).running()});
    pass_and_save();
  }

  void report(int percent) {
    core::progress_status p;
    p.percent = percent;
    p.time = now;
    p.source = "job-worker-0";
    seen.record_report(std::move(p));
  }

  int percent() const { return status.progress->percent.value_or(-1); }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(the_first_report_is_noted_at_once, reporting_fixture) {
  BOOST_TEST(percent() == -1);
  report(3);
  pass();
  BOOST_TEST(percent() == 3);
  BOOST_TEST(status.progress->source == "job-worker-0");
}

BOOST_FIXTURE_TEST_CASE(later_ones_each_ten_seconds, reporting_fixture) {
  report(3);
  pass_and_save();
  now += 4s;
  report(4);
  BOOST_TEST((pass().requeue_at == base_time + 10s));
  BOOST_TEST(percent() == 3);
  now += 6s;
  pass_and_save();
  BOOST_TEST(percent() == 4);
  BOOST_TEST(!pass().requeue_at.has_value());
}

BOOST_FIXTURE_TEST_CASE(the_last_one_comes_with_the_end, reporting_fixture) {
  report(99);
  pass_and_save();
  now += 1s;
  report(100);
  observe({pod("worker", 0).succeeded().version(2)});
  pass_and_save();
  BOOST_TEST(status.is_finished());
  BOOST_TEST(percent() == 100);
  report(1);
  pass_and_save();
  BOOST_TEST(percent() == 100);
}

BOOST_AUTO_TEST_SUITE_END()
