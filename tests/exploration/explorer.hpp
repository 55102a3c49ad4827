#pragma once

#include "tests/exploration/world.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace troupe::exploration {

struct exploration_result {
  std::size_t states = 0;
  std::size_t steps = 0; ///< Moves that were made.
  std::size_t ends = 0;  ///< States in which nothing is left to do.
  std::size_t deepest = 0;
  std::size_t bytes = 0;                   ///< Of the set of states.
  std::chrono::duration<double> seconds{}; ///< Of the processor.
  /// Whether every state was seen; else it was ended by a violation or a
  /// limit.
  bool closed = false;
  std::string violation;          ///< "": none was found.
  std::vector<std::string> trace; ///< The moves that lead there.
};

struct exploration_limits {
  std::size_t states = 0; ///< 0: none.
  /// Of a path; 0: none. States are then seen again if a shorter path leads to
  /// them, so that a violation within the limit is found.
  std::size_t depth = 0;
  std::function<void(const exploration_result&)> progress;
  std::function<void(const world&)> on_state; ///< Each that is new.
};

/// Visits every state that moves can lead to from the first one, depth first,
/// and stops at the first violation: of an invariant, or of the rule that all
/// ends. That rule is checked so: a path that comes back to one of its own
/// states could go on for ever, and there is none; so every path ends, and
/// check_end() holds where it does.
exploration_result explore(const setting& s, const exploration_limits& limits);

/// The shortest trace to a violation, whichever it is; each try takes as long
/// as a search.
exploration_result find_shortest(const setting& s, exploration_result found);

} // namespace troupe::exploration
