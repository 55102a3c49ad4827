#include "k8s/bounded_time.hpp"
#include "k8s/result.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace troupe::k8s;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(objects_test)

namespace {

/// Milliseconds since the epoch, or -1.
long long read(std::string_view text) {
  auto t = from_rfc3339(text);
  return t ? std::chrono::duration_cast<std::chrono::milliseconds>(
                 t->time_since_epoch())
                 .count()
           : -1;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_resource_version_is_a_number_and_nothing_else) {
  BOOST_TEST(parse_resource_version_or_zero("18446744073709551615")
             == 18446744073709551615u);
  for (const char* text : {"", "x", "12x", " 12", "-1", "18446744073709551616"})
    BOOST_TEST(parse_resource_version_or_zero(text) == 0u);
}

BOOST_AUTO_TEST_CASE(a_time_is_read_with_fraction_and_offset) {
  BOOST_CHECK_EQUAL(read("1970-01-01T00:00:00Z"), 0);
  BOOST_CHECK_EQUAL(read("2026-01-31T12:00:00Z"), 1769860800000);
  BOOST_CHECK_EQUAL(read("2026-01-31t12:00:00z"), 1769860800000);
  BOOST_CHECK_EQUAL(read("2026-01-31 12:00:00Z"), 1769860800000);
  BOOST_CHECK_EQUAL(read("2026-01-31T12:00:00.25Z"), 1769860800250);
  BOOST_CHECK_EQUAL(read("2026-01-31T12:00:00.123456789123Z"), 1769860800123);
  BOOST_CHECK_EQUAL(read("2026-01-31T13:30:00+01:30"), 1769860800000);
  BOOST_CHECK_EQUAL(read("2026-01-31T11:00:00.000-01:00"), 1769860800000);
  BOOST_CHECK_EQUAL(read("2024-02-29T00:00:00Z"), 1709164800000);
}

BOOST_AUTO_TEST_CASE(what_is_no_time_is_refused) {
  for (auto text : {"",
                    "2026",
                    "2026-01-31",
                    "2026-01-31T12:00:00",
                    "2026-01-31T12:00Z",
                    "2026-00-31T12:00:00Z",
                    "2026-13-31T12:00:00Z",
                    "2026-01-00T12:00:00Z",
                    "2026-01-32T12:00:00Z",
                    "2026-01-31T24:00:00Z",
                    "2026-01-31T12:60:00Z",
                    "2026-01-31T12:00:61Z",
                    "2026-01-31T12:00:00+0100",
                    "2026-01-31T12:00:00+01:60",
                    "2026-01-31T12:00:00+24:00",
                    "2026-01-31T12:00:00.Z",
                    "2026-01-31T12:00:00ZZ",
                    "-026-01-31T12:00:00Z",
                    "2026/01/31T12:00:00Z",
                    "2026-01-31T12:00:00.1",
                    "tomorrow at noon ok?"})
    BOOST_CHECK_MESSAGE(!from_rfc3339(text), text);
}

BOOST_AUTO_TEST_CASE(times_beyond_the_clock_are_brought_into_range) {
  auto late = from_rfc3339("9999-12-31T23:59:59Z");
  auto early = from_rfc3339("0001-01-01T00:00:00Z");
  BOOST_REQUIRE(late && early);
  BOOST_CHECK_EQUAL(to_rfc3339(*late), "2250-12-31T23:59:59Z");
  BOOST_CHECK_EQUAL(to_rfc3339(*early), "1970-01-01T00:00:00Z");
  // What is written can be read again, whatever the offset was.
  BOOST_CHECK(from_rfc3339("1970-01-01T00:00:00+23:59") == early);
  BOOST_CHECK(from_rfc3339("1969-12-31T23:59:59-00:01") == time_point{59s});
  BOOST_CHECK(from_rfc3339("2250-12-31T23:59:59.5-23:59") == late);
}

BOOST_AUTO_TEST_CASE(seconds_beyond_the_clock_are_brought_into_range) {
  constexpr std::int64_t last = 8867491199;
  BOOST_CHECK(to_bounded_time(1769860800) == time_point{1769860800s});
  BOOST_CHECK(to_bounded_time(0) == earliest_time);
  BOOST_CHECK(to_bounded_time(last) == latest_time);
  for (auto early : {std::int64_t{-1}, INT64_MIN})
    BOOST_CHECK(to_bounded_time(early) == earliest_time);
  for (auto late : {last + 1, std::int64_t{253402300799}, INT64_MAX})
    BOOST_CHECK(to_bounded_time(late) == latest_time);
}

BOOST_AUTO_TEST_CASE(a_time_is_written_in_whole_seconds_of_utc) {
  time_point t{1769860800s};
  BOOST_CHECK_EQUAL(to_rfc3339(t), "2026-01-31T12:00:00Z");
  BOOST_CHECK_EQUAL(to_rfc3339(t + 999ms), "2026-01-31T12:00:00Z");
  BOOST_CHECK_EQUAL(to_rfc3339(time_point{-1ms}), "1969-12-31T23:59:59Z");
  BOOST_CHECK(from_rfc3339(to_rfc3339(t)) == t);
}

BOOST_AUTO_TEST_CASE(every_code_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(ec::bug); ++i)
    names.insert(to_string(static_cast<ec>(i)));
  BOOST_CHECK_EQUAL(names.size(), static_cast<std::size_t>(ec::bug) + 1);
}

BOOST_AUTO_TEST_SUITE_END()
