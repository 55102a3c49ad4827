#include "tests/simulation/lives.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <thread>

using namespace troupe;
using namespace troupe::simulation;

// TROUPE_RUNS: how many of each kind; the other settings: lives.hpp.

namespace {

struct log_level_fixture {
  log_level_fixture() { start_log(); }
};

/// Runs them on every core; stops after some violations.
void check_all(std::size_t count,
               std::function<simulation_options(std::size_t)> get) {
  auto cores = std::max(std::thread::hardware_concurrency(), 1u);
  auto bad = simulate_all({count, std::move(get), 5, tracing() ? 1 : cores});
  for (const auto& b : bad)
    BOOST_ERROR(b);
  BOOST_TEST(bad.empty());
}

} // namespace

BOOST_TEST_GLOBAL_FIXTURE(log_level_fixture);

BOOST_AUTO_TEST_CASE(ten_thousand_random_jobs_of_each_kind_end_well) {
  auto first = number_setting("TROUPE_SEED", 1);
  auto runs = number_setting("TROUPE_RUNS", 10'000);
  std::vector<simulation_options> all;
  for (std::uint64_t i = 0; i < runs; ++i)
    for (const auto* kind : kinds_to_simulate())
      if (i % static_cast<unsigned>(kind->rarer) == 0)
        all.push_back(random_life(*kind, first + i));
  check_all(all.size(), [&](std::size_t i) { return all[i]; });
}

BOOST_AUTO_TEST_CASE(a_restart_after_any_call_changes_nothing) {
  // Some runs without faults, restarted after each of their calls.
  std::vector<simulation_options> all_options;
  for (const auto* kind : kinds_to_simulate())
    for (std::uint64_t seed : {11u, 12u, 13u}) {
      simulation_options s;
      s.kind = kind;
      s.seed = seed;
      s.bad_calls = 0;
      auto calls = simulate(s).calls;
      BOOST_TEST(calls > 0);
      for (s.restart_after_call = 1; s.restart_after_call <= calls;
           ++s.restart_after_call)
        all_options.push_back(s);
    }
  check_all(all_options.size(), [&](std::size_t i) { return all_options[i]; });
}
