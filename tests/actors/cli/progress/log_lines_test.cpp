#include "actors/cli/progress/log_lines.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using boost::test_tools::per_element;
using troupe::cli::log_lines;

BOOST_AUTO_TEST_SUITE(log_lines_)

namespace {

using words = std::vector<std::string>;

struct collected {
  log_lines lines;
  words ended = {};

  void feed(std::string_view bytes) {
    lines.feed(bytes, [&](std::string_view one) { ended.emplace_back(one); });
  }
  void end() {
    lines.end_line([&](std::string_view one) { ended.emplace_back(one); });
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(of_a_line_that_overwrites_itself_the_last_state_is_kept) {
  struct row {
    const char* bytes;
    words ended;
    const char* unfinished;
    bool is_overwritten;
  } rows[] = {
      {"one\ntwo\n", {"one", "two"}, "", false},
      {"\n\n", {"", ""}, "", false},
      {"begun", {}, "begun", false},
      {"dos\r\nline\r\n", {"dos", "line"}, "", false},
      {"10%\r20%", {}, "20%", true},
      {"10%\r20%\r", {}, "20%", true},
      {"\r10%\r20%", {}, "20%", true},
      {"10%\r\r\r", {}, "10%", true},
      {"10%\r20%\n30%\r40%\r\n", {"20%", "40%"}, "", false},
      {"\r", {}, "", true},
      {"\r\n", {""}, "", false},
  };
  for (const auto& r : rows) {
    const std::string bytes = r.bytes;
    // Whole, in bytes, and in two pieces.
    for (std::size_t cut = 0; cut <= bytes.size() + 1; ++cut) {
      collected c{log_lines{}};
      if (cut > bytes.size()) {
        for (char b : bytes)
          c.feed({&b, 1});
      } else {
        c.feed(std::string_view{bytes}.substr(0, cut));
        c.feed(std::string_view{bytes}.substr(cut));
      }
      BOOST_TEST_CONTEXT(bytes << " cut at " << cut) {
        BOOST_TEST(c.ended == r.ended, per_element());
        BOOST_TEST(c.lines.unfinished_line() == r.unfinished);
        BOOST_TEST(c.lines.is_overwritten() == r.is_overwritten);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_time_of_a_line_is_not_overwritten) {
  for (std::size_t piece : {1u, 3u, 7u, 100u}) {
    collected c{log_lines{true}};
    const std::string bytes = "12:00Z one\n12:01Z 10%\r20%\r30%";
    for (std::size_t i = 0; i < bytes.size(); i += piece)
      c.feed(std::string_view{bytes}.substr(i, piece));
    BOOST_TEST(c.ended == words{"12:00Z one"}, per_element());
    BOOST_TEST(c.lines.unfinished_line() == "12:01Z 30%");
    c.end();
    BOOST_TEST(c.ended.back() == "12:01Z 30%");
    BOOST_TEST(c.lines.pending() == 0u);
  }
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_bounded) {
  constexpr std::size_t limit = 100;
  collected bar{log_lines{false, limit}};
  for (int i = 0; i < 10'000; ++i) {
    bar.feed("\r" + std::to_string(i) + std::string(50, '#'));
    BOOST_REQUIRE(bar.lines.pending() < 3 * limit);
  }
  BOOST_TEST(bar.lines.unfinished_line() == "9999" + std::string(50, '#'));
  BOOST_TEST(bar.ended.empty());

  collected long_states{log_lines{false, limit}};
  long_states.feed(std::string(90, 'a'));
  long_states.feed(std::string(1000, 'b') + "\r");
  BOOST_TEST(long_states.lines.pending() <= 2 * limit);

  collected endless{log_lines{false, limit}};
  endless.feed(std::string(250, 'x'));
  endless.feed("y\n");
  words cut{std::string(100, 'x'), std::string(100, 'x'),
            std::string(50, 'x') + "y"};
  BOOST_TEST(endless.ended == cut, per_element());
}

BOOST_AUTO_TEST_SUITE_END()
