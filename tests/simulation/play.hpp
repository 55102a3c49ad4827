#pragma once

#include "tests/fixtures/stage.hpp"
#include "tests/simulation/world.hpp"

#include <string>
#include <vector>

namespace troupe::simulation {

/// How one life is played.
struct score {
  const core::framework* kind = nullptr;
  std::uint64_t seed = 0;
  int steps = 300;          ///< Before the world calms down.
  int bad_calls = 8;        ///< Percent of calls that go wrong.
  int crashes = 0;          ///< Percent chance per 100 steps of a restart.
  int crash_after_call = 0; ///< Kill the operator after this call; 0: never.
  bool tell = false;        ///< The story, on stdout.
};

struct outcome {
  std::vector<std::string> wrong; ///< Empty if all is well.
  int calls = 0;                  ///< That the API server answered.
  std::string end;                ///< The end state, normalised.
};

/// Plays one life of a job: operator, user, kubelets, network and clock take
/// turns at random, then the world calms down and the end is judged. The same
/// score gives the same life.
outcome play(const score& s);

} // namespace troupe::simulation
