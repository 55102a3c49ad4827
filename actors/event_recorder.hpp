#pragma once

#include "actors/protocols.hpp"

#include <deque>
#include <map>
#include <string>
#include <unordered_map>

namespace troupe::actors {

/// Writes events on jobs, after all other work and only a few at a time.
/// Repetitions raise a count; more than ten different messages of one reason
/// within ten minutes are told as one event "(combined from similar events)".
/// Nobody waits for it, and what cannot be written after some tries is
/// dropped: an event is news, not state.
class event_recorder_state {
public:
  static inline const char* name = "event-recorder";

  explicit event_recorder_state(event_recorder_actor::pointer self)
      : self_(self) {}

  void begin(links_ptr out) { out_ = std::move(out); }
  void record(const record_event& e);
  void written(const api_answer& a);
  void woke(const woke_up& w);
  report_ptr report() const;

private:
  /// One event object, written or about to be.
  struct entry {
    std::shared_ptr<const job_reference> about;
    core::job_event what;    ///< Let go of once written: there are many.
    std::uint64_t stamp = 0; ///< Tells its name from that of others.
    int count = 0;
    int written_count = 0; ///< 0: not there yet.
    int tries = 0;
    k8s::time_point first{};
    k8s::time_point last{};
    bool queued = false;
  };

  /// Different messages of one reason on one job.
  struct family {
    int members = 0;
    k8s::time_point since{};
  };

  static std::string name_of(const entry& e);
  void queue(std::uint64_t key, entry& e);
  void pump();
  void forget_old(k8s::time_point now);

  event_recorder_actor::pointer self_;
  links_ptr out_;
  std::unordered_map<std::uint64_t, entry> entries_; ///< By hash of contents.
  std::unordered_map<std::uint64_t, family> families_;
  std::deque<std::uint64_t> waiting_;
  std::map<std::uint64_t, std::uint64_t> under_way_; ///< Tag -> key.
  std::deque<std::uint64_t> held_; ///< Repetitions, for the next second.
  bool timer_set_ = false;
  std::uint64_t next_tag_ = 1;
  std::uint64_t next_name_ = 0;
  std::uint64_t dropped_ = 0;
  k8s::time_point swept_{};
};

event_recorder_actor::behavior_type event_recorder(
    event_recorder_actor::stateful_pointer<event_recorder_state> self,
    links_ptr out);

} // namespace troupe::actors
