#pragma once

#include "actors/leadership/boot_clock.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::actors {

/// Whether another operator lives, by the Lease that it holds. As in client-go
/// the times of its holder are not compared with ours: a holder lives for as
/// long as the Lease says after this process has last seen it change. So a
/// Lease that was left behind counts for its duration when it is seen first. A
/// value: no clock, no I/O.
class lease_observation {
public:
  using time_point = boot_clock::time_point;

  enum class verdict : std::uint8_t {
    unknown, ///< Nothing is known yet.
    held,
    free, ///< Nobody holds it, or it does not exist.
  };

  /// The Lease is there, with this spec (JSON text).
  void on_seen(const std::string& spec, time_point now);
  /// It does not exist; or it may not be read, which counts as free: that right
  /// is granted together with those that are used then.
  void on_absent();

  verdict current() const { return verdict_; }
  /// If it is held: when its holder is gone, unless the Lease changes.
  std::optional<time_point> expires_at() const;
  /// As last seen, "" if nobody.
  const std::string& holder() const { return seen_.holder; }

private:
  struct record {
    std::string holder;
    std::string renewed;
    std::int64_t transitions = 0;

    bool operator!=(const record& o) const {
      return holder != o.holder || renewed != o.renewed
             || transitions != o.transitions;
    }
  };

  record seen_;
  time_point seen_at_{}; ///< When `seen_` was seen first.
  std::chrono::milliseconds duration_{0};
  verdict verdict_ = verdict::unknown;
};

} // namespace troupe::actors
