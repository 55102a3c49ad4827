#include "k8s/watch/watch_lines.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace troupe::k8s;
using lines = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(watch_lines_test)

namespace {

struct cutter {
  watch_lines cut{64};
  lines seen;

  bool feed(std::string_view chunk) {
    return cut.feed(chunk,
                    [this](std::string_view line) { seen.emplace_back(line); });
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(lines_are_the_same_however_the_stream_is_cut) {
  const std::string text = "{\"a\":1}\n\n{\"bb\":22}\nlast, unfinished";
  const lines expected{"{\"a\":1}", "", "{\"bb\":22}"};
  for (std::size_t i = 0; i <= text.size(); ++i)
    for (auto j = i; j <= text.size(); ++j) {
      cutter c;
      std::string_view all{text};
      BOOST_REQUIRE(c.feed(all.substr(0, i)));
      BOOST_REQUIRE(c.feed(all.substr(i, j - i)));
      BOOST_REQUIRE(c.feed(all.substr(j)));
      BOOST_REQUIRE(c.seen == expected);
      BOOST_REQUIRE_EQUAL(c.cut.pending_bytes(), 16u);
    }
}

BOOST_AUTO_TEST_CASE(bytes_one_at_a_time_make_the_same_lines) {
  cutter c;
  for (char byte : std::string{"one\ntwo\nthree\n"})
    BOOST_REQUIRE(c.feed({&byte, 1}));
  BOOST_CHECK((c.seen == lines{"one", "two", "three"}));
  BOOST_CHECK_EQUAL(c.cut.pending_bytes(), 0u);
}

BOOST_AUTO_TEST_CASE(a_whole_line_is_not_copied) {
  const std::string text = "one\ntwo\n";
  watch_lines cut;
  const char* where = nullptr;
  cut.feed(text, [&](std::string_view line) { where = line.data(); });
  BOOST_CHECK(where == text.data() + 4);
}

BOOST_AUTO_TEST_CASE(a_line_that_is_too_long_is_refused) {
  const std::string longest(64, 'x');
  cutter exact;
  BOOST_CHECK(exact.feed(longest + "\n"));
  BOOST_CHECK((exact.seen == lines{longest}));
  cutter whole;
  BOOST_CHECK(!whole.feed(longest + "x\n"));
  cutter pieces;
  BOOST_CHECK(pieces.feed(longest));
  BOOST_CHECK(!pieces.feed("x"));
  BOOST_CHECK(pieces.seen.empty());
}

BOOST_AUTO_TEST_SUITE_END()
