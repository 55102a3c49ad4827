#pragma once

#include <random>

namespace troupe::simulation {

/// True in `percent` of 100 calls.
inline bool chance(std::mt19937_64& random, int percent) {
  return static_cast<int>(random() % 100) < percent;
}

/// 0 to `most`, both included.
inline int up_to(std::mt19937_64& random, int most) {
  return static_cast<int>(random() % static_cast<unsigned>(most + 1));
}

} // namespace troupe::simulation
