#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace troupe::k8s {

/// A number of seconds from outside, limited to a century either way, so that
/// it can be added to any time.
inline std::chrono::seconds to_bounded_seconds(std::int64_t n) {
  constexpr std::int64_t century = 3'155'760'000;
  return std::chrono::seconds{std::clamp(n, -century, century)};
}

} // namespace troupe::k8s
