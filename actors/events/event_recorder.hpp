#pragma once

#include "actors/base/own_report.hpp"
#include "actors/base/protocols.hpp"
#include "actors/events/event_correlator.hpp"

#include <deque>
#include <map>

namespace troupe::actors {

/// Writes Kubernetes Events on jobs, after all other calls and only a few at a
/// time, as event_correlator decides. No actor waits for it.
class event_recorder_state {
public:
  static inline const char* name = "event-recorder";

  explicit event_recorder_state(event_recorder_actor::pointer self)
      : self_(self) {}

  void init(context_ptr context) {
    context_ = std::move(context);
    correlator_ = event_correlator{k8s::make_random_hash_key()};
  }
  void on_record_event(const record_event& e);
  void on_api_response(const api_response& a);
  void on_timer(const timer_fired& fired);
  report_ptr report() const;

private:
  void schedule_series_write(std::uint64_t series, write_time when);
  /// So that series are forgotten even while no events come.
  void schedule_clean_up_if_needed();
  /// Writes what may be written now.
  void send_waiting_events();

  event_recorder_actor::pointer self_;
  context_ptr context_;
  event_correlator correlator_;
  std::deque<std::uint64_t> waiting_; ///< Series to be written.
  std::deque<std::uint64_t> held_;    ///< The same, when the timer fires.
  std::map<std::uint64_t, std::uint64_t> under_way_; ///< Tag -> series.
  bool timer_set_ = false;
  bool clean_up_set_ = false;
  std::uint64_t next_tag_ = 1;
};

event_recorder_actor::behavior_type
event_recorder(self_pointer<event_recorder_actor, event_recorder_state> self,
               context_ptr context);

} // namespace troupe::actors
