#include "config/logging.hpp"
#include "frameworks/registry.hpp"
#include "tests/simulation/simulation.hpp"

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

// TROUPE_RUNS: how many of each kind; TROUPE_SEED: the first one's seed;
// TROUPE_KIND: of this kind only; TROUPE_TRACE: print what happens.

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

bool tracing() {
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

std::string describe(const simulation_options& s, const simulation_result& o) {
  std::ostringstream text;
  text << s.kind->type.kind << ", seed " << s.seed;
  if (s.restart_after_call > 0)
    text << ", restarted after call " << s.restart_after_call;
  for (const auto& w : o.violations)
    text << "\n  " << w;
  text << "\n  end: " << o.end;
  return text.str();
}

simulation_result simulate_safely(const simulation_options& s) {
  try {
    return simulate(s);
  } catch (const std::exception& e) {
    simulation_result o;
    o.violations.push_back(std::string{"throws "} + e.what());
    return o;
  }
}

/// Runs them on every core; stops after some violations. Runs share nothing,
/// so their order does not matter.
std::vector<std::string>
simulate_all(std::size_t count,
             const std::function<simulation_options(std::size_t)>& get) {
  constexpr std::size_t enough = 5;
  std::vector<std::string> bad;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> failures{0};
  auto work = [&] {
    for (auto i = next++; i < count && failures < enough; i = next++) {
      auto s = get(i);
      s.trace = tracing();
      auto o = simulate_safely(s);
      if (o.violations.empty())
        continue;
      ++failures;
      std::lock_guard lock{mutex};
      bad.push_back(describe(s, o));
    }
  };
  std::vector<std::thread> others;
  for (auto n = tracing() ? 1 : std::thread::hardware_concurrency(); n > 1; --n)
    others.emplace_back(work);
  work();
  for (auto& t : others)
    t.join();
  return bad;
}

/// A trace shows what the operator logs, too.
struct log_level_fixture {
  log_level_fixture() {
    log::start(tracing() ? log::level::debug : log::level::error,
               log::format::text);
  }
};

void report(const std::vector<std::string>& bad) {
  for (const auto& b : bad)
    BOOST_ERROR(b);
  BOOST_TEST(bad.empty());
}

} // namespace

BOOST_TEST_GLOBAL_FIXTURE(log_level_fixture);

BOOST_AUTO_TEST_CASE(ten_thousand_random_jobs_of_each_kind_end_well) {
  auto first = setting("TROUPE_SEED", 1);
  auto runs = setting("TROUPE_RUNS", 10'000);
  auto all = kinds();
  BOOST_REQUIRE(!all.empty());
  report(simulate_all(all.size() * runs, [&](std::size_t i) {
    simulation_options s;
    s.kind = all[i % all.size()];
    s.seed = first + i / all.size();
    s.restarts = 20;
    return s;
  }));
}

BOOST_AUTO_TEST_CASE(a_restart_after_any_call_changes_nothing) {
  // Some runs without faults, restarted after each of their calls.
  std::vector<simulation_options> all_options;
  for (const auto* kind : kinds())
    for (std::uint64_t seed : {11u, 12u, 13u}) {
      simulation_options s;
      s.kind = kind;
      s.seed = seed;
      s.bad_calls = 0;
      auto calls = simulate_safely(s).calls;
      BOOST_TEST(calls > 0);
      for (s.restart_after_call = 1; s.restart_after_call <= calls;
           ++s.restart_after_call)
        all_options.push_back(s);
    }
  report(simulate_all(all_options.size(),
                      [&](std::size_t i) { return all_options[i]; }));
}
