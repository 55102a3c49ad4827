#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/queueing/queueing_probe.hpp"

namespace troupe::actors {

/// Runs the probe now and then, and tells the listener when the actors were
/// started with something else. What was on stays on when Kueue's definitions
/// vanish: no job that waits is let go by that.
class queueing_watch_state {
public:
  static inline const char* name = "queueing-watch";

  explicit queueing_watch_state(queueing_watch_actor::pointer self)
      : self_(self) {}

  void init(context_ptr context, queueing_probe_config config,
            queueing_listener_actor listener);
  void on_start();
  void on_api_response(const api_response& a);
  report_ptr report() const;

private:
  void execute(queueing_probe::step next);
  void tell_if_changed(const core::queueing_options& found);

  queueing_watch_actor::pointer self_;
  context_ptr context_;
  queueing_probe probe_{{}};
  queueing_listener_actor listener_;
  std::uint64_t tag_ = 0;
};

queueing_watch_actor::behavior_type
queueing_watch(self_pointer<queueing_watch_actor, queueing_watch_state> self,
               context_ptr context, queueing_probe_config config,
               queueing_listener_actor listener);

} // namespace troupe::actors
