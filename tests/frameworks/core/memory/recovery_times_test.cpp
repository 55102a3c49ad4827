#include "frameworks/core/memory/recovery_times.hpp"
#include "tests/frameworks/core/recovery/restarts_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(recovery_times_test)

namespace {

struct timed_job : restarts_fixture {
  core::recovery_times times;
  std::string counted; ///< "Job failed; recovered after 12; ".

  /// As a supervisor does: the pass, then what is counted.
  void step(bool saves = true) {
    pass();
    count();
    if (saves) {
      save();
      pass();
      count();
    }
  }

  void count() {
    auto c = times.record_pass(j, seen, status, saved, now);
    if (c.restarted)
      counted += std::string{c.restarted->scope} + " "
                 + to_string(c.restarted->cause) + "; ";
    if (c.recovered_after)
      counted += "recovered after "
                 + std::to_string(std::lround(c.recovered_after->count()))
                 + "; ";
  }

  /// "all running 10, lost 5".
  std::string seconds() const {
    auto t = times.times(now);
    return "all running " + std::to_string(std::lround(t.all_running.count()))
           + ", lost " + std::to_string(std::lround(t.lost.count()));
  }

  void fail(int attempt = 0) {
    observe(worker(1, attempt)
                .ran(now - 60s, 60s)
                .failed(1)
                .version(10 + static_cast<std::uint64_t>(attempt)));
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(an_attempt_counts_once_when_it_is_saved) {
  timed_job f;
  f.run_all(0);
  f.step();
  f.fail();
  f.step(false);
  f.step(false);
  BOOST_TEST(f.counted == "");
  f.step();
  BOOST_TEST(f.counted == "Job failed; ");
  f.accept_deletions(f.now);
  f.remove_pods();
  f.now += 12s;
  f.step();
  BOOST_TEST(f.counted == "Job failed; ");
  f.run_all(1);
  f.now += 3s;
  f.pass();
  f.count();
  BOOST_TEST(f.counted == "Job failed; "); // That it runs is not saved.
  f.now += 100s;
  f.step();
  BOOST_TEST(f.counted == "Job failed; recovered after 15; ");
  f.step();
  BOOST_TEST(f.counted == "Job failed; recovered after 15; ");
}

BOOST_AUTO_TEST_CASE(a_process_that_finds_an_attempt_does_not_count_it) {
  timed_job f;
  f.run_all(0);
  f.step();
  f.fail();
  f.step();
  f.counted = "";
  f.times = {}; // Another process.
  f.now += 7s;
  f.step();
  f.remove_pods();
  f.run_all(1);
  f.step();
  BOOST_TEST(f.counted == "recovered after 7; ");
  f.counted = "";
  f.times = {};
  f.step();
  BOOST_TEST(f.counted == "");
}

BOOST_AUTO_TEST_CASE(an_attempt_that_another_client_writes_does_not_count) {
  timed_job f;
  f.run_all(0);
  f.step();
  core::recovery_status other;
  other.attempt = 5;
  f.saved.recovery = other;
  f.status.recovery = other;
  f.count();
  BOOST_TEST(f.counted == "");
}

BOOST_AUTO_TEST_CASE(the_time_of_a_job_is_all_running_or_lost) {
  timed_job f;
  f.now += 100s; // Not begun.
  f.step();
  BOOST_TEST(f.seconds() == "all running 0, lost 0");
  BOOST_TEST(!f.times.counted_since());
  f.observe(f.worker(0, 0).running());
  f.step();
  f.now += 4s;
  BOOST_TEST(f.seconds() == "all running 0, lost 4");
  f.observe(f.worker(1, 0).running());
  f.step();
  f.now += 60s;
  BOOST_TEST(f.seconds() == "all running 60, lost 4");
  f.fail();
  f.step();
  f.now += 5s; // Pods of before still run, for nothing.
  BOOST_TEST(f.seconds() == "all running 60, lost 9");
  f.j.policy.suspend = true;
  f.step();
  f.now += 1000s;
  BOOST_TEST(f.seconds() == "all running 60, lost 9");
  BOOST_TEST((f.times.activity() == core::job_activity::idle));
  f.remove_pods();
  f.j.policy.suspend = false;
  f.step();
  f.run_all(1);
  f.step();
  f.now += 10s;
  BOOST_TEST(f.seconds() == "all running 70, lost 9");
  for (int i : {0, 1})
    f.observe(f.worker(i, 1).succeeded().version(20));
  f.step();
  f.now += 500s;
  BOOST_TEST(f.seconds() == "all running 70, lost 9");
}

BOOST_AUTO_TEST_CASE(replicas_that_are_done_run_as_far_as_goodput_goes) {
  timed_job f;
  f.run_all(0);
  f.step();
  f.observe(f.worker(1, 0).succeeded().version(4));
  f.step();
  BOOST_TEST((f.times.activity() == core::job_activity::all_running));
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_takes_no_time_away) {
  timed_job f;
  f.run_all(0);
  f.step();
  f.now += 50s;
  f.fail();
  f.step();
  f.now -= 1h;
  BOOST_TEST(f.seconds() == "all running 50, lost 0");
}

BOOST_AUTO_TEST_SUITE_END()
