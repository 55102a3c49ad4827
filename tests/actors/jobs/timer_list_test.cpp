#include "actors/jobs/timer_list.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace troupe::actors;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(timer_list_test)

namespace {

constexpr timer_list::time_point start{1h};

/// "OWNER:TIMER ..." of what is due.
std::string due(timer_list& timers, timer_list::time_point now) {
  std::string out;
  for (const auto& t : timers.take_due(now))
    out += std::to_string(t.owner) + ":" + std::to_string(t.timer) + " ";
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(timers_come_in_the_order_of_their_times) {
  timer_list timers;
  timers.set(1, start + 3s, 10);
  timers.set(2, start + 1s, 20);
  timers.set(3, start + 2s, 30);
  BOOST_TEST((timers.next_due() == start + 1s));
  BOOST_TEST(due(timers, start + 999ms) == "");
  BOOST_TEST(due(timers, start + 2s) == "2:20 3:30 ");
  BOOST_TEST(due(timers, start + 2s) == "");
  BOOST_TEST(due(timers, start + 1h) == "1:10 ");
  BOOST_TEST(timers.size() == 0u);
  BOOST_TEST(!timers.next_due());
}

BOOST_AUTO_TEST_CASE(an_owner_has_one_timer) {
  timer_list timers;
  timers.set(1, start + 1s, 10);
  timers.set(1, start + 5s, 11);
  BOOST_TEST(timers.size() == 1u);
  BOOST_TEST(due(timers, start + 1s) == "");
  timers.set(1, start + 2s, 12);
  BOOST_TEST(due(timers, start + 2s) == "1:12 ");
}

BOOST_AUTO_TEST_CASE(a_cancelled_timer_leaves_nothing) {
  timer_list timers;
  timers.set(1, start + 1s, 10);
  timers.set(2, start + 1s, 20);
  timers.cancel(1);
  timers.cancel(1);
  timers.cancel(3);
  BOOST_TEST(timers.size() == 1u);
  BOOST_TEST(due(timers, start + 1s) == "2:20 ");
}

BOOST_AUTO_TEST_SUITE_END()
