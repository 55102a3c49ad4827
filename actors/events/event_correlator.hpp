#pragma once

#include "actors/base/messages.hpp"
#include "frameworks/core/base/shared_value.hpp"
#include "k8s/general/keyed_hash.hpp"

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe::actors {

/// When an event is to be written.
enum class write_time : std::uint8_t {
  never, ///< There is nothing to do; a write may already be planned.
  now,
  later, ///< After a second, together with further repetitions.
};

/// One event object to be written.
struct event_write {
  bool create = true; ///< false: patch its count, time and message.
  std::string name;   ///< Of the event object.
  std::shared_ptr<const job_reference> about;
  core::job_event event;
  int count = 0;
  k8s::time_point first{};
  k8s::time_point last{};
};

/// Decides which events on jobs become which event objects. A value: no actor,
/// no timer, no clock; `now` is passed in.
///
/// * The same event on the same job is one series: one object with a count.
/// * More than ten different messages of one reason on one job within ten
///   minutes are one series, "(combined from similar events)".
/// * A write that failed is tried again a few times. Then the series is
///   dropped: nobody depends on an event.
/// * A series that is not repeated for ten minutes is forgotten. If more than
///   4,096 series are written, the one used least recently is forgotten.
/// * At most 32,768 wait to be written; further ones are dropped.
///
/// A keyed hash identifies a series. So even a person who can choose the texts
/// cannot make one series hide another.
class event_correlator {
public:
  explicit event_correlator(const k8s::hash_key& key = {})
      : key_(key) {}

  /// Which series, and when its object is to be written.
  struct series_write {
    std::uint64_t series = 0;
    write_time when = write_time::never;
  };

  /// The event has happened.
  series_write
  record_occurrence(const std::shared_ptr<const job_reference>& about,
                    core::job_event event, k8s::time_point now);

  /// What to write of a series now; from then on it counts as written. nullopt:
  /// nothing, because it was dropped or has been written since.
  std::optional<event_write> take_pending_write(std::uint64_t series);

  /// The write has ended. `why`: its failure, nullptr if it succeeded. Returns
  /// when to write again.
  write_time record_write_result(std::uint64_t series, const k8s::failure* why);

  /// Forgets series that are over; needed only while no events happen.
  void forget_expired_series(k8s::time_point now);

  std::size_t size() const { return series_.size(); }
  /// Whether nothing is remembered.
  bool empty() const { return series_.empty() && similar_.empty(); }
  std::uint64_t dropped_count() const { return dropped_; }

private:
  using keys = std::list<std::uint64_t>;

  /// One event object, written or about to be.
  struct series {
    std::shared_ptr<const job_reference> about;
    core::shared_value<std::string> event; ///< Both texts in one; unset when
                                           ///< all is written.
    std::uint64_t stamp = 0; ///< Part of its name, different for each.
    int count = 0;
    int written_count = 0; ///< 0: not there yet.
    int tries = 0;
    int in_flight = 0; ///< Writes that have not ended: two may overlap.
    k8s::time_point first{};
    k8s::time_point last{};
    bool waits = false; ///< To be written.
    keys::iterator at;  ///< In `written_`, unless it waits.
  };

  /// Different messages of one reason on one job.
  struct similar_events {
    int messages = 0;
    k8s::time_point since{};
    k8s::time_point last{};
    keys::iterator at; ///< In `similar_used_`.
  };

  static std::string event_object_name(const series& s);
  /// Counts an event of a group whose events differ in their messages only;
  /// returns whether there are too many of them.
  bool count_similar_and_exceeds_limit(std::uint64_t group,
                                       k8s::time_point now);
  write_time mark_for_write(series& s);
  void move_to_written(std::uint64_t key, series& s);
  void forget_similar(keys::iterator which);
  std::size_t waiting() const { return series_.size() - written_.size(); }

  k8s::hash_key key_;
  std::unordered_map<std::uint64_t, series> series_; ///< By hash of contents.
  keys written_; ///< Those that do not wait, used last at the end.
  std::unordered_map<std::uint64_t, similar_events> similar_; ///< The same.
  keys similar_used_; ///< All of these, used last at the end.
  std::uint64_t last_stamp_ = 0;
  std::uint64_t dropped_ = 0;
};

} // namespace troupe::actors
