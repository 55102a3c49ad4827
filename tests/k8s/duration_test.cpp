#include "k8s/duration.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;
using troupe::k8s::parse_duration;

BOOST_AUTO_TEST_SUITE(duration)

BOOST_AUTO_TEST_CASE(durations_are_read_with_their_units) {
  const std::pair<const char*, std::chrono::milliseconds> table[] = {
      {"0", 0ms},   {"300ms", 300ms}, {"5s", 5s},     {"1.5s", 1500ms},
      {"2m", 2min}, {"1h30m", 90min}, {"1h0m0s", 1h}, {"1m0.25s", 60250ms}};
  for (const auto& [text, want] : table) {
    auto got = parse_duration(text);
    BOOST_TEST_CONTEXT(text) {
      BOOST_REQUIRE(got);
      BOOST_TEST(got->count() == want.count());
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_duration_is_refused_with_an_example) {
  for (auto text : {"", "5", "s", "-5s", "5 s", "5d", "1..5s", ".s", "5s5",
                    "9999999999999999999h"}) {
    auto got = parse_duration(text);
    BOOST_TEST_CONTEXT(text) {
      BOOST_REQUIRE(!got);
      BOOST_TEST(got.error().message.find("1h30m") != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_written_can_be_read_back) {
  for (auto d : {0ms, 1ms, 999ms, 1000ms, 1500ms, 59999ms, 60000ms, 90000ms,
                 3600000ms, 5400001ms}) {
    auto got = parse_duration(troupe::k8s::to_duration_text(d));
    BOOST_REQUIRE(got);
    BOOST_TEST(got->count() == d.count());
  }
}

BOOST_AUTO_TEST_SUITE_END()
