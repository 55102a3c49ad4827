#pragma once

#include "tests/fixtures/operator_fixture.hpp"
#include "tests/simulation/simulated_kinds.hpp"

#include <string>
#include <vector>

namespace troupe::simulation {

/// How one job is simulated.
struct simulation_options {
  const simulated_kind* kind = nullptr;
  std::uint64_t seed = 0;
  int bad_calls = 8;          ///< Percent of calls that fail.
  int restarts = 0;           ///< Percent chance per 100 steps of a restart.
  int leader_changes = 0;     ///< The same, of a change of the leader.
  int restart_after_call = 0; ///< Restart after this call; 0: never.
  bool trace = false;         ///< What happens, on stdout.
};

struct simulation_result {
  std::vector<std::string> violations; ///< None: it is correct.
  int calls = 0;                       ///< That the API server answered.
  std::string end;                     ///< The end state, normalised.
};

/// Simulates one job: operator, user, kubelets, network and clock take turns at
/// random; then faults and users stop, and the end state is checked. The same
/// options give the same run.
simulation_result simulate(const simulation_options& s);

} // namespace troupe::simulation
