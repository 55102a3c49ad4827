#include "frameworks/core/progress/log_lines.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace troupe;
using core::log_lines;

BOOST_AUTO_TEST_SUITE(log_lines_test)

namespace {

using strings = std::vector<std::string>;

/// Lines of one log, over several connections.
struct lines_reader {
  log_lines lines;
  strings taken;

  log_lines::taker taker() {
    return [this](std::string_view line) { taken.emplace_back(line); };
  }
  lines_reader& feed(const std::string& bytes, std::size_t piece = 1'000'000) {
    for (std::size_t i = 0; i < bytes.size(); i += piece)
      lines.feed(std::string_view{bytes}.substr(i, piece), taker());
    return *this;
  }
  lines_reader& finish() {
    lines.finish(taker());
    return *this;
  }
  lines_reader& begin_again() {
    lines.begin_again();
    return *this;
  }
};

/// "10 text": at this second.
std::string at(int second, const std::string& text) {
  return "2026-01-31T12:00:" + std::to_string(second) + "Z " + text;
}

} // namespace

BOOST_AUTO_TEST_CASE(lines_are_the_same_however_the_bytes_are_split) {
  struct row {
    const char* description;
    std::string bytes;
    strings lines;
  };
  const std::string t = "2026-01-31T12:00:00.123456789Z ";
  const row rows[] = {
      {"lines", t + "a b\n" + t + "c\n", {"a b", "c"}},
      {"the last one has no end", t + "a\n" + t + "b", {"a", "b"}},
      {"empty lines", t + "\n" + t + "a\n\n\n" + t + "b\n", {"a", "b"}},
      {"a bar",
       t + "\r 1%\r 2%\r 3%\n" + t + "x\n",
       {" 1%", " 2%", " 3%", "x"}},
      {"of Windows", t + "a\r\n" + t + "b\r\n", {"a", "b"}},
      {"without times", "a b\nc\r d\n", {"a b", "c", " d"}},
      {"no time, but long",
       std::string(90, 'x') + "\n",
       {std::string(90, 'x')}},
      {"one word of the length of a time",
       std::string(40, 'x') + " y\n",
       {std::string(40, 'x') + " y"}},
      {"another offset", "2026-01-31T12:00:00+01:00 a\n", {"a"}},
      {"spaces", t + "  a\n", {"  a"}},
      {"colours",
       t + "\x1b[1m12/938\x1b[0m \x1b[38;5;2mx\x1b[m\n",
       {"12/938 x"}},
      {"controls", t + "a\b\x01\x7f\tb\x1b\n", {"a\tb"}},
      {"UTF-8", t + "\u2501\u00e4\U0001f600\n", {"\u2501\u00e4\U0001f600"}},
      {"no UTF-8",
       t + "a\xff\xfe\x80z\xe2\x94\n",
       {"a\xef\xbf\xbdz\xef\xbf\xbd"}},
  };
  for (const auto& r : rows)
    for (std::size_t piece : {1u, 2u, 3u, 7u, 1'000u})
      BOOST_TEST_CONTEXT(r.description << ", by " << piece) {
        BOOST_TEST((lines_reader{}.feed(r.bytes, piece).finish().taken)
                       == r.lines,
                   boost::test_tools::per_element());
      }
}

BOOST_AUTO_TEST_CASE(the_rest_of_a_long_line_is_left_out) {
  lines_reader r;
  r.feed(at(10, std::string(3'000'000, 'x') + "z\n" + at(11, "b\n")), 65'000);
  BOOST_REQUIRE(r.taken.size() == 2);
  BOOST_TEST(r.taken[0] == std::string(log_lines::most_line_bytes, 'x'));
  BOOST_TEST(r.taken[1] == "b");
  // It is read although it never ends; and each part of a bar is a line.
  lines_reader endless;
  endless.feed(at(10, std::string(log_lines::most_line_bytes, 'x')));
  BOOST_TEST(endless.taken.size() == 1);
  std::string bar;
  for (int i = 0; i < 100'000; ++i)
    bar += "\rx";
  BOOST_TEST(lines_reader{}.feed(bar + "\r").taken.size() == 100'000);
}

BOOST_AUTO_TEST_CASE(nothing_comes_twice_after_a_reconnect) {
  const strings log{at(10, "a\n"), at(10, "b\n"), at(11, "c\r1\r2\r3\n"),
                    at(11, "d\n"), at(11, "e\n"), at(12, "f\n")};
  const strings all{"a", "b", "c", "1", "2", "3", "d", "e", "f"};
  std::string whole;
  for (const auto& line : log)
    whole += line;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut)
    for (std::size_t first = 0; first < log.size(); ++first) {
      lines_reader r;
      r.feed(whole.substr(0, cut));
      // As servers do it: whole lines that are not older than a second.
      auto since = r.lines.since();
      if (first > 0
          && (!since || *since > *k8s::from_rfc3339(log[first].substr(0, 20))
              || *since <= *k8s::from_rfc3339(log[first - 1].substr(0, 20))))
        continue;
      std::string again;
      for (auto i = first; i < log.size(); ++i)
        again += log[i];
      BOOST_TEST_CONTEXT("cut at " << cut << ", from line " << first) {
        r.begin_again().feed(again.substr(0, again.size() / 2));
        r.begin_again().feed(again);
        BOOST_TEST(r.taken == all, boost::test_tools::per_element());
      }
    }
}

BOOST_AUTO_TEST_CASE(what_a_rotation_took_is_not_waited_for) {
  lines_reader r;
  r.feed(at(10, "a\n") + at(10, "b\n") + at(10, "c\n"));
  r.begin_again().feed(at(10, "c\n") + at(11, "d\n"));
  BOOST_TEST(r.taken == (strings{"a", "b", "c", "d"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_second_before_the_latest_line_is_asked_for) {
  lines_reader r;
  BOOST_TEST(!r.lines.since());
  r.feed("no time\n");
  BOOST_TEST(!r.lines.since());
  r.feed("2026-01-31T12:00:10.7Z a\n");
  BOOST_TEST(k8s::to_rfc3339(*r.lines.since()) == "2026-01-31T12:00:09Z");
  r.lines.skip_ahead();
  BOOST_TEST(!r.lines.since());
}

BOOST_AUTO_TEST_SUITE_END()
