#include "actors/cli/progress/told_states.hpp"

#include <boost/test/unit_test.hpp>

using troupe::cli::told_states;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(told_states_)

BOOST_AUTO_TEST_CASE(a_line_that_moves_is_told_once_a_second) {
  told_states told;
  const told_states::time_point begin{};
  int count = 0;
  for (auto at = 0ms; at <= 10s; at += 100ms)
    count += told.record_state_and_check_due("a", std::to_string(at.count()),
                                             begin + at);
  BOOST_TEST(count == 10);
  // Others have seconds of their own.
  BOOST_TEST(!told.record_state_and_check_due("b", "0", begin + 10s));
  BOOST_TEST(told.record_state_and_check_due("b", "1", begin + 11s));
}

BOOST_AUTO_TEST_CASE(a_state_is_told_once) {
  told_states told;
  const told_states::time_point begin{};
  BOOST_TEST(!told.record_state_and_check_due("a", "10%",
                                              begin)); // It may be over soon.
  BOOST_TEST(told.record_state_and_check_due("a", "10%", begin + 1s));
  BOOST_TEST(!told.record_state_and_check_due("a", "10%", begin + 9s));
  BOOST_TEST(!told.forget_line_and_check_unwritten("a", "10%"));
  BOOST_TEST(told.forget_line_and_check_unwritten("a", "10%")); // Another line.
}

BOOST_AUTO_TEST_CASE(the_last_state_is_told) {
  told_states told;
  const told_states::time_point begin{};
  BOOST_TEST(told.forget_line_and_check_unwritten("a", "whole"));
  told.record_state_and_check_due("a", "10%", begin);
  BOOST_TEST(told.forget_line_and_check_unwritten("a", "100%"));
  BOOST_TEST(!told.record_state_and_check_due(
      "a", "next", begin + 9s)); // In its first second.
}

BOOST_AUTO_TEST_SUITE_END()
