#pragma once

#include "actors/leadership/boot_clock.hpp"

#include <atomic>
#include <functional>
#include <utility>

namespace troupe::actors {

/// Whether this process may write to the cluster now. The leader elector opens
/// it for a limited time with each renewal of the Lease; the gateways ask it
/// before each call. It closes by itself, even if the process was stopped and
/// continued, and the elector has not run since. Thread-safe.
class write_gate {
public:
  using clock = std::function<boot_clock::time_point()>;

  explicit write_gate(clock now = boot_clock::now)
      : now_(std::move(now)) {}

  void open_gate_until(boot_clock::time_point end) {
    end_ = end.time_since_epoch().count();
  }
  void close() { open_gate_until(boot_clock::time_point::min()); }
  bool is_open() const {
    return now_().time_since_epoch().count() < end_.load();
  }

private:
  clock now_;
  std::atomic<boot_clock::rep> end_{
      boot_clock::time_point::min().time_since_epoch().count()};
};

} // namespace troupe::actors
