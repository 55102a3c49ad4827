#pragma once

#include "k8s/objects.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace troupe::k8s {

/// The time that is so many seconds after 1970 began. As from_rfc3339: one
/// before `earliest_time` or after `latest_time` becomes that, as a time_point
/// has no room for all seconds.
inline time_point to_bounded_time(std::int64_t unix_seconds) {
  using std::chrono::seconds;
  auto count = [](time_point t) {
    return std::chrono::floor<seconds>(t.time_since_epoch()).count();
  };
  return time_point{seconds{
      std::clamp(unix_seconds, count(earliest_time), count(latest_time))}};
}

} // namespace troupe::k8s
