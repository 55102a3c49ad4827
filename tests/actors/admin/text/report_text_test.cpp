#include "actors/admin/text/report_text.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

using namespace troupe::actors;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(report_text_test)

BOOST_AUTO_TEST_CASE(numbers_are_words_that_agree) {
  BOOST_TEST(pluralize(0, "pod") == "0 pods");
  BOOST_TEST(pluralize(1, "pod") == "1 pod");
  BOOST_TEST(pluralize(2, "pod") == "2 pods");
  BOOST_TEST(once_or_n_times(1) == "once");
  BOOST_TEST(once_or_n_times(3) == "3 times");
}

BOOST_AUTO_TEST_CASE(any_number_of_seconds_is_a_duration) {
  struct row {
    double seconds;
    const char* text;
  } rows[] = {{0, "0s"},
              {4.4, "4s"},
              {4.6, "5s"},
              {-61, "61s"},
              {600, "10m"},
              {std::numeric_limits<double>::quiet_NaN(), "0s"},
              {std::numeric_limits<double>::infinity(), "0s"}};
  for (const auto& r : rows)
    BOOST_TEST(human_duration_text(r.seconds) == r.text, r.seconds);
  BOOST_TEST(!human_duration_text(1e300).empty());
}

BOOST_AUTO_TEST_CASE(a_duration_needs_both_times) {
  const json a{{"at", "2026-01-31T12:00:00Z"}};
  const json b{{"at", "2026-01-31T12:10:00Z"}, {"odd", 5}};
  BOOST_TEST(human_duration_between(a, {"at"}, b, {"at"}).value_or("")
             == "10m");
  BOOST_TEST(!human_duration_between(a, {"none"}, b, {"at"}));
  BOOST_TEST(!human_duration_between(a, {"at"}, b, {"odd"}));
}

BOOST_AUTO_TEST_SUITE_END()
