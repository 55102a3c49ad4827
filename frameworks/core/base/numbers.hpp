#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace troupe::core {

// For numbers in a manifest or a status, which may be as large as their type.

/// Sets `a` to a + b, or to the limit of its type if that is exceeded.
inline void add_saturated(std::int32_t& a, std::int32_t b) {
  using limits = std::numeric_limits<std::int32_t>;
  a = static_cast<std::int32_t>(std::clamp<std::int64_t>(
      std::int64_t{a} + b, limits::min(), limits::max()));
}

/// a * b, or the limit of its type if that is exceeded.
inline std::int64_t multiply_saturated(std::int64_t a, std::int64_t b) {
  using limits = std::numeric_limits<std::int64_t>;
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product))
    return product;
  return (a < 0) == (b < 0) ? limits::max() : limits::min();
}

} // namespace troupe::core
