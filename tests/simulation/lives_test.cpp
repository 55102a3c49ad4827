#include "config/logging.hpp"
#include "frameworks/registry.hpp"
#include "tests/simulation/play.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <sstream>
#include <thread>

using namespace troupe;
using namespace troupe::simulation;

namespace {

// TROUPE_LIVES: how many of each kind; TROUPE_SEED: which one to begin with;
// TROUPE_KIND: of this kind only; TROUPE_TRACE: tell the story.

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

bool told() {
  return std::getenv("TROUPE_TRACE") != nullptr;
}

std::vector<const core::framework*> kinds() {
  const char* wanted = std::getenv("TROUPE_KIND");
  std::vector<const core::framework*> result;
  for (const auto& f : frameworks::all())
    if (!wanted || f.type.kind == wanted)
      result.push_back(&f);
  return result;
}

std::string in_words(const score& s, const outcome& o) {
  std::ostringstream text;
  text << s.kind->type.kind << ", seed " << s.seed;
  if (s.crash_after_call > 0)
    text << ", killed after call " << s.crash_after_call;
  for (const auto& w : o.wrong)
    text << "\n  " << w;
  text << "\n  end: " << o.end;
  return text.str();
}

outcome play_safely(const score& s) {
  try {
    return play(s);
  } catch (const std::exception& e) {
    outcome o;
    o.wrong.push_back(std::string{"throws "} + e.what());
    return o;
  }
}

/// Plays them on every core; stops after some have gone wrong. A life needs
/// nothing of another, so the order does not matter.
std::vector<std::string>
play_all(std::size_t count, const std::function<score(std::size_t)>& get) {
  constexpr std::size_t enough = 5;
  std::vector<std::string> bad;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> failures{0};
  auto work = [&] {
    for (auto i = next++; i < count && failures < enough; i = next++) {
      auto s = get(i);
      s.tell = told();
      auto o = play_safely(s);
      if (o.wrong.empty())
        continue;
      ++failures;
      std::lock_guard lock{mutex};
      bad.push_back(in_words(s, o));
    }
  };
  std::vector<std::thread> others;
  for (auto n = told() ? 1 : std::thread::hardware_concurrency(); n > 1; --n)
    others.emplace_back(work);
  work();
  for (auto& t : others)
    t.join();
  return bad;
}

/// What the operator logs belongs to the story.
struct quiet {
  quiet() {
    log::start(told() ? log::level::debug : log::level::error,
               log::format::text);
  }
};

void report(const std::vector<std::string>& bad) {
  for (const auto& b : bad)
    BOOST_ERROR(b);
  BOOST_TEST(bad.empty());
}

} // namespace

BOOST_TEST_GLOBAL_FIXTURE(quiet);

BOOST_AUTO_TEST_CASE(ten_thousand_lives_of_each_kind_end_well) {
  auto first = setting("TROUPE_SEED", 1);
  auto lives = setting("TROUPE_LIVES", 10'000);
  auto all = kinds();
  BOOST_REQUIRE(!all.empty());
  report(play_all(all.size() * lives, [&](std::size_t i) {
    score s;
    s.kind = all[i % all.size()];
    s.seed = first + i / all.size();
    s.crashes = 20;
    return s;
  }));
}

BOOST_AUTO_TEST_CASE(a_kill_after_any_call_changes_nothing) {
  // Some lives without bad luck, killed after each of their calls.
  std::vector<score> scores;
  for (const auto* kind : kinds())
    for (std::uint64_t seed : {11u, 12u, 13u}) {
      score s;
      s.kind = kind;
      s.seed = seed;
      s.bad_calls = 0;
      auto calls = play_safely(s).calls;
      BOOST_TEST(calls > 0);
      for (s.crash_after_call = 1; s.crash_after_call <= calls;
           ++s.crash_after_call)
        scores.push_back(s);
    }
  report(play_all(scores.size(), [&](std::size_t i) { return scores[i]; }));
}
