#include "actors/jobs/job_startup.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_startup_test)

namespace {

const k8s::time_point created{1'767'225'600s};

core::job_status with(const char* condition) {
  core::job_status s;
  if (*condition)
    s.conditions.push_back({condition, true, "", "", created, created});
  return s;
}

/// The seconds that were measured; -1: none.
double count(const std::optional<job_startup::seconds>& measured) {
  return measured ? measured->count() : -1;
}

} // namespace

BOOST_AUTO_TEST_CASE(each_time_is_measured_once) {
  struct row {
    const char* condition;
    std::size_t pods;
    std::chrono::seconds passed;
    double to_all_pods;
    double to_running;
  };
  const row rows[] = {
      {"", 0, 0s, -1, -1},        {"Created", 1, 1s, -1, -1},
      {"Created", 2, 2s, 2, -1},  {"Created", 1, 3s, -1, -1},
      {"Created", 2, 4s, -1, -1}, {"Running", 2, 5s, -1, 5},
      {"Running", 2, 6s, -1, -1}, {"Restarting", 1, 7s, -1, -1},
      {"Running", 2, 8s, -1, -1},
  };
  job_startup startup;
  startup.start_clock(created);
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.passed.count()) {
      auto times = startup.take_startup_times(with(r.condition), r.pods, 2,
                                              created + r.passed);
      BOOST_TEST(count(times.to_all_pods) == r.to_all_pods);
      BOOST_TEST(count(times.to_running) == r.to_running);
    }
}

BOOST_AUTO_TEST_CASE(a_job_that_was_there_before_is_not_measured) {
  job_startup startup;
  auto times = startup.take_startup_times(with("Running"), 2, 2, created + 1h);
  BOOST_TEST(!times.to_all_pods);
  BOOST_TEST(!times.to_running);
}

BOOST_AUTO_TEST_CASE(a_job_that_was_suspended_or_has_finished_is_not_measured) {
  for (const char* condition : {"Suspended", "Succeeded", "Failed"}) {
    job_startup startup;
    startup.start_clock(created);
    startup.take_startup_times(with(condition), 0, 2, created + 1s);
    auto times =
        startup.take_startup_times(with("Running"), 2, 2, created + 2s);
    BOOST_TEST(!times.to_all_pods, condition);
    BOOST_TEST(!times.to_running, condition);
  }
}

BOOST_AUTO_TEST_SUITE_END()
