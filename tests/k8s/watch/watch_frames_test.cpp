#include "k8s/watch/watch_frames.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(watch_frames_test)

namespace {

/// A frame, with its length in front.
std::string frame(const std::string& text) {
  std::string out;
  for (int shift : {24, 16, 8, 0})
    out += static_cast<char>(text.size() >> shift);
  return out + text;
}

struct frame_recorder {
  watch_frames frames{300};
  std::vector<std::string> seen;

  bool feed(std::string_view chunk) {
    return frames.feed(
        chunk, [this](std::string_view text) { seen.emplace_back(text); });
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(frames_are_the_same_however_the_stream_is_cut) {
  const std::string long_text(260, 'x'); // Its length needs two bytes.
  const std::vector<std::string> expected{"one", "", long_text};
  const auto text =
      frame("one") + frame("") + frame(long_text) + std::string(2, '\0');
  for (std::size_t i = 0; i <= text.size(); ++i) {
    frame_recorder r;
    std::string_view all{text};
    BOOST_REQUIRE(r.feed(all.substr(0, i)));
    BOOST_REQUIRE(r.feed(all.substr(i)));
    BOOST_REQUIRE(r.seen == expected);
    BOOST_REQUIRE_EQUAL(r.frames.pending_bytes(), 2u);
  }
}

BOOST_AUTO_TEST_CASE(a_frame_that_is_too_long_is_refused) {
  const auto longest = frame(std::string(300, 'x'));
  const auto too_long = frame(std::string(301, 'x'));
  for (std::size_t cut : {0u, 2u, 4u, 5u}) {
    frame_recorder r;
    BOOST_TEST(r.feed(longest.substr(0, cut)));
    BOOST_TEST(r.feed(longest.substr(cut)));
    BOOST_TEST(r.seen.size() == 1u);
    bool fed = r.feed(too_long.substr(0, cut)) && r.feed(too_long.substr(cut));
    BOOST_TEST(!fed);
    BOOST_TEST(r.seen.size() == 1u);
  }
  frame_recorder r;
  BOOST_TEST(!r.feed("\xff\xff\xff\xff"));
}

BOOST_AUTO_TEST_SUITE_END()
