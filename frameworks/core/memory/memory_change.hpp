#pragma once

#include "frameworks/core/model/child_view.hpp"

#include <cstdint>
#include <vector>

namespace troupe::core {

/// Results of orders that metrics count.
enum class order_outcome : std::uint8_t {
  pod_created,
  pod_deleted,
  replica_restarted,
  service_created,
  service_refused,
};

/// What follows from a fact or the result of an order that was recorded.
struct memory_change {
  bool must_reconcile = false;         ///< plan() could decide differently now.
  std::vector<job_event> events;       ///< To be emitted.
  std::vector<order_outcome> outcomes; ///< To be counted.

  void add(memory_change more) {
    must_reconcile |= more.must_reconcile;
    events.insert(events.end(), more.events.begin(), more.events.end());
    outcomes.insert(outcomes.end(), more.outcomes.begin(), more.outcomes.end());
  }
};

} // namespace troupe::core
