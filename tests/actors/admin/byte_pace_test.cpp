#include "actors/base/byte_pace.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::actors;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(byte_pace_test)

BOOST_AUTO_TEST_CASE(much_at_once_is_paid_for_by_waiting) {
  const byte_pace::clock::time_point begin{1h};
  byte_pace pace{1000, 500};
  pace.count(500, begin);
  BOOST_TEST((pace.delay_before_next_read(begin) == 0ms));
  pace.count(500, begin);
  BOOST_TEST((pace.delay_before_next_read(begin) == 501ms));
  BOOST_TEST((pace.delay_before_next_read(begin + 300ms) == 201ms));
  BOOST_TEST((pace.delay_before_next_read(begin + 501ms) == 0ms));
  // A long rest does not allow more than that.
  pace.count(1500, begin + 1h);
  BOOST_TEST((pace.delay_before_next_read(begin + 1h) == 1001ms));
}

BOOST_AUTO_TEST_CASE(a_slow_stream_never_waits) {
  byte_pace::clock::time_point now{1h};
  byte_pace pace{1000, 100};
  for (int i = 0; i < 100; ++i, now += 100ms) {
    pace.count(100, now);
    BOOST_REQUIRE((pace.delay_before_next_read(now) == 0ms));
  }
}

BOOST_AUTO_TEST_SUITE_END()
