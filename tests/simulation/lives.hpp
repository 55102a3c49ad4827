#pragma once

#include "tests/simulation/simulation.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe::simulation {

/// How the job of this kind and seed is simulated, by every program.
simulation_options random_life(const simulated_kind& kind, std::uint64_t seed);

/// Many simulations, to be run at the same time.
struct life_batch {
  std::size_t count = 0;
  std::function<simulation_options(std::size_t)> get; ///< The i-th one.
  std::size_t most_failures = 1;                      ///< Stops after so many.
  unsigned threads = 1;
  /// Called from time to time: all before `next` are done. May be empty.
  std::function<void(std::size_t next)> progress = {};
};

/// Simulates them; they share nothing, so their order does not matter. Returns
/// a description of each that violates an invariant.
std::vector<std::string> simulate_all(const life_batch& batch);

// Settings of the programs, from the environment:
// TROUPE_SEED: the first seed; TROUPE_KIND: of this kind only; TROUPE_TRACE:
// print what happens, on one thread.

/// A number; exits with an error if it is none.
std::uint64_t number_setting(const char* name, std::uint64_t otherwise);
bool tracing();
/// The kinds to simulate; exits with an error if there is none.
std::vector<const simulated_kind*> kinds_to_simulate();
/// Starts the operator's log: errors, or all if what happens is printed.
void start_log();

} // namespace troupe::simulation
