#include "tests/simulation/play.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <sstream>

using namespace troupe::simulation;

namespace {

/// TROUPE_LIVES: how many; TROUPE_SEED: which one to begin with; TROUPE_TRACE:
/// tell the story.
std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void play_many(score s, std::uint64_t lives) {
  auto first = number("TROUPE_SEED", 1);
  lives = number("TROUPE_LIVES", lives);
  int bad = 0;
  for (auto seed = first; seed < first + lives && bad < 5; ++seed) {
    s.seed = seed;
    auto result = play(s);
    if (result.wrong.empty())
      continue;
    ++bad;
    std::ostringstream text;
    for (const auto& w : result.wrong)
      text << "\n  " << w;
    BOOST_ERROR("seed " << seed << ":" << text.str()
                        << "\n  end: " << result.end);
  }
  BOOST_TEST(bad == 0);
}

} // namespace

BOOST_AUTO_TEST_CASE(ten_thousand_lives_end_well) {
  score s;
  s.crashes = 20;
  play_many(s, 10'000);
}

BOOST_AUTO_TEST_CASE(a_kill_after_any_call_changes_nothing) {
  // One ordinary life without bad luck, killed after each of its calls.
  for (std::uint64_t seed : {11u, 12u, 13u}) {
    score s;
    s.seed = seed;
    s.bad_calls = 0;
    auto calls = play(s).calls;
    for (int k = 1; k <= calls; ++k) {
      s.crash_after_call = k;
      auto result = play(s);
      std::ostringstream text;
      for (const auto& w : result.wrong)
        text << "\n  " << w;
      BOOST_TEST(result.wrong.empty(),
                 "seed " << seed << ", killed after call " << k << text.str());
    }
  }
}
