#include "actors/jobs/requeue_timer.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;
using troupe::actors::requeue_timer;
using troupe::k8s::time_point;

BOOST_AUTO_TEST_SUITE(requeue_timer_test)

BOOST_AUTO_TEST_CASE(the_earlier_time_counts_unless_it_has_passed) {
  struct row {
    std::chrono::seconds first, second;
    std::chrono::seconds now; ///< When the second is asked for.
    bool replaced;
  } rows[] = {
      {10s, 20s, 0s, false}, {10s, 10s, 0s, false}, {20s, 10s, 0s, true},
      {10s, 20s, 9s, false}, {10s, 20s, 10s, true}, {10s, 20s, 15s, true},
  };
  for (const auto& r : rows) {
    requeue_timer t;
    BOOST_TEST(!t.was_set());
    auto first = t.set_unless_earlier(time_point{r.first}, time_point{});
    BOOST_REQUIRE(first.has_value());
    BOOST_TEST(t.was_set());
    auto second = t.set_unless_earlier(time_point{r.second}, time_point{r.now});
    BOOST_TEST(second.has_value() == r.replaced);
    BOOST_TEST((t.at() == time_point{r.replaced ? r.second : r.first}));
    BOOST_TEST(t.take(*first).has_value() == !r.replaced);
    if (second)
      BOOST_TEST((t.take(*second) == time_point{r.second}));
    BOOST_TEST(!t.at());
  }
}

BOOST_AUTO_TEST_CASE(a_timer_is_fired_once) {
  requeue_timer t;
  BOOST_TEST(!t.take(0));
  auto number = t.set_unless_earlier(time_point{1s}, time_point{});
  BOOST_TEST(t.take(*number).has_value());
  BOOST_TEST(!t.take(*number));
  BOOST_TEST(*t.set_unless_earlier(time_point{1s}, time_point{}) > *number);
}

BOOST_AUTO_TEST_SUITE_END()
