#pragma once

#include "k8s/objects.hpp"

#include <cstdint>
#include <optional>

namespace troupe::actors {

/// The one time at which a supervisor looks at its job again, whatever happens
/// until then. A value; who has it keeps the timer.
class requeue_timer {
public:
  /// The number of the timer that has to be set, which takes the place of the
  /// former one; nullopt if one is set for an earlier time: whoever looks then
  /// says when to look next.
  std::optional<std::uint64_t> set_unless_earlier(k8s::time_point when,
                                                  k8s::time_point now) {
    if (at_ && *at_ <= when && *at_ > now)
      return std::nullopt;
    at_ = when;
    return ++number_;
  }

  /// A timer was fired. The time that it was set for; nullopt if another has
  /// taken its place.
  std::optional<k8s::time_point> take(std::uint64_t number) {
    auto due = number == number_ ? at_ : std::nullopt;
    if (due)
      at_.reset();
    return due;
  }

  std::optional<k8s::time_point> at() const { return at_; }
  bool was_set() const { return number_ > 0; } ///< Ever.

private:
  std::uint64_t number_ = 0;
  std::optional<k8s::time_point> at_;
};

} // namespace troupe::actors
