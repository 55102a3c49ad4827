#include "actors/process/health_monitor.hpp"

#include <nlohmann/json.hpp>

namespace troupe::actors {

namespace {

constexpr std::chrono::seconds between_questions{10};

/// Longer than the root waits for its actors.
constexpr std::chrono::milliseconds patience{5'000};

} // namespace

health_monitor_actor::behavior_type
health_monitor(health_monitor_actor::pointer self, root_actor root,
               std::shared_ptr<shared_health> health) {
  auto record = [self, health](const nlohmann::json& report) {
    std::lock_guard guard{health->mutex};
    health->record.on_report(report, self->clock().now());
  };
  return {
      [=](const timer_fired&) {
        self->delayed_send(self, between_questions, timer_fired{0});
        self->request<caf::message_priority::high>(
                root, caf::duration{patience}, get_report{})
            .then([=](const report_ptr& r) { record(*r); },
                  [=](caf::error&) { record(nullptr); });
      },
  };
}

} // namespace troupe::actors
