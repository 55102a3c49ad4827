#pragma once

#include <chrono>

namespace troupe::actors {

/// Time since the machine was started, including the time it was suspended,
/// during which std::chrono::steady_clock stands still. No change of the wall
/// clock affects it. What must end before others may act is measured with it.
struct boot_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<boot_clock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;
};

} // namespace troupe::actors
