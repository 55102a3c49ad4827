#pragma once

#include "actors/base/protocols.hpp"
#include "actors/process/health_record.hpp"

#include <memory>
#include <mutex>

namespace troupe::actors {

/// Written by the monitor, read by probes.
struct shared_health {
  explicit shared_health(health_record::time_point now)
      : record(now) {}

  std::mutex mutex;
  health_record record;
};

/// Asks the root for its report every ten seconds and records it. The question
/// overtakes other messages that wait.
using health_monitor_actor = caf::typed_actor<
    // Internal, except the first, which starts it. Time to ask.
    caf::reacts_to<timer_fired>>;

health_monitor_actor::behavior_type
health_monitor(health_monitor_actor::pointer self, root_actor root,
               std::shared_ptr<shared_health> health);

} // namespace troupe::actors
