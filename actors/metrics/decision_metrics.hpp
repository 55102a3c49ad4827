#pragma once

#include "frameworks/core/model/decision.hpp"

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace troupe::actors {

/// Counts decisions: a series for each action on each kind of children, which
/// appears when it is counted first. Thread-safe.
class decision_metrics {
public:
  explicit decision_metrics(prometheus::Registry& r);

  /// A decision that is about no child is not counted.
  void count(const core::decision& d);

private:
  static constexpr std::size_t actions =
      2 + static_cast<std::size_t>(core::operation::release);

  prometheus::Family<prometheus::Counter>& family_;
  std::array<
      std::array<std::atomic<prometheus::Counter*>, core::child_kind_count>,
      actions>
      counters_{};
};

} // namespace troupe::actors
