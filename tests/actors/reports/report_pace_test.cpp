#include "actors/reports/report_pace.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::actors;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(report_pace_test)

namespace {

/// How many reports of the pod are taken, one after the other, at one time.
int taken(report_pace& pace, const char* pod, report_pace::time_point at,
          int tried = 10) {
  int result = 0;
  for (int i = 0; i < tried; ++i)
    result += pace.admit(pod, at);
  return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_reports_once_a_second_and_thrice_after_a_rest) {
  report_pace pace;
  report_pace::time_point start{1h};
  BOOST_TEST(taken(pace, "a", start) == 3);
  BOOST_TEST(taken(pace, "b", start) == 3);
  BOOST_TEST(taken(pace, "a", start + 999ms) == 0);
  BOOST_TEST(taken(pace, "a", start + 1s) == 1);
  BOOST_TEST(taken(pace, "a", start + 1h) == 3);
  int in_a_minute = 0;
  for (std::chrono::milliseconds at = 2h; at < 2h + 1min; at += 100ms)
    in_a_minute += taken(pace, "a", start + at, 1);
  BOOST_TEST(in_a_minute == 62);
}

BOOST_AUTO_TEST_CASE(pods_that_rest_are_forgotten) {
  report_pace pace;
  report_pace::time_point start{1h};
  for (std::size_t i = 0; i < report_pace::most_pods; ++i)
    pace.admit(std::to_string(i), start);
  BOOST_TEST(pace.known_pods() == report_pace::most_pods);
  pace.admit("next", start + 1s);
  BOOST_TEST(pace.known_pods() == 1);
}

BOOST_AUTO_TEST_CASE(more_pods_than_are_known_do_not_report) {
  report_pace pace;
  report_pace::time_point start{1h};
  for (std::size_t i = 0; i < report_pace::most_pods; ++i)
    pace.admit(std::to_string(i), start);
  BOOST_TEST(!pace.admit("next", start));
  BOOST_TEST(pace.admit("7", start));
  BOOST_TEST(pace.known_pods() == report_pace::most_pods);
}

BOOST_AUTO_TEST_CASE(it_is_known_whose_reports_were_taken) {
  report_pace pace;
  report_pace::time_point start{1h};
  pace.note_taken("a", "job");
  BOOST_TEST(!pace.was_taken("a", "job"));
  pace.admit("a", start);
  BOOST_TEST(!pace.was_taken("a", "job"));
  pace.note_taken("a", "job");
  BOOST_TEST(pace.was_taken("a", "job"));
  BOOST_TEST(!pace.was_taken("a", "other"));
  BOOST_TEST(!pace.was_taken("b", "job"));
}

BOOST_AUTO_TEST_SUITE_END()
