#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace troupe::actors {

/// Limits how fast a stream is read: to `per_second` bytes per second on
/// average, and to `at_once` bytes at a time after a pause. A value.
class byte_pace {
public:
  using clock = std::chrono::steady_clock;

  byte_pace(std::size_t per_second, std::size_t at_once)
      : per_second_(static_cast<double>(per_second))
      , at_once_(static_cast<double>(at_once)) {}

  /// So many bytes were read at `now`.
  void count(std::size_t bytes, clock::time_point now) {
    refill(now);
    owed_ += static_cast<double>(bytes);
  }

  /// How long to wait before more may be read.
  std::chrono::milliseconds delay_before_next_read(clock::time_point now) {
    refill(now);
    if (owed_ <= at_once_)
      return std::chrono::milliseconds::zero();
    return std::chrono::milliseconds{
        1 + static_cast<std::int64_t>((owed_ - at_once_) * 1000 / per_second_)};
  }

private:
  void refill(clock::time_point now) {
    std::chrono::duration<double> passed = now - counted_at_;
    if (passed.count() > 0) {
      owed_ = std::max(0.0, owed_ - passed.count() * per_second_);
      counted_at_ = now;
    }
  }

  double per_second_;
  double at_once_;
  double owed_ = 0;
  clock::time_point counted_at_{};
};

} // namespace troupe::actors
