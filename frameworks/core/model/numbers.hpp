#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace troupe::core {

// Numbers that a manifest or a status contains may be as large as their type.

/// As close to a + b as its type can be.
inline void add_saturated(std::int32_t& a, std::int32_t b) {
  using limits = std::numeric_limits<std::int32_t>;
  a = static_cast<std::int32_t>(std::clamp<std::int64_t>(
      std::int64_t{a} + b, limits::min(), limits::max()));
}

/// As close to a * b as its type can be.
inline std::int64_t multiply_saturated(std::int64_t a, std::int64_t b) {
  using limits = std::numeric_limits<std::int64_t>;
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product))
    return product;
  return (a < 0) == (b < 0) ? limits::max() : limits::min();
}

} // namespace troupe::core
