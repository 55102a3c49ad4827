#include "actors/events/event_correlator.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace troupe::actors {

namespace {

constexpr std::chrono::minutes series_lifetime{10};
/// As many as client-go remembers.
constexpr std::size_t most_written_series = 4096;
constexpr std::size_t most_waiting_series = 32768;
constexpr int most_different_messages = 10;
constexpr int most_event_writes = 4; ///< Attempts, until a series is dropped.

/// An event in one text. Thousands may wait.
std::string pack_event(const core::job_event& event) {
  std::string packed;
  packed.reserve(2 + event.reason.size() + event.message.size());
  return packed.append(1, event.warning ? 'w' : 'n')
      .append(event.reason)
      .append(1, '\0')
      .append(event.message);
}

core::job_event unpack_event(const std::string& packed) {
  auto end_of_reason = packed.find('\0');
  return {packed[0] == 'w', packed.substr(1, end_of_reason - 1),
          packed.substr(end_of_reason + 1)};
}

} // namespace

event_correlator::series_write event_correlator::record_occurrence(
    const std::shared_ptr<const job_reference>& about, core::job_event event,
    k8s::time_point now) {
  forget_expired_series(now);
  const auto* type = event.warning ? "w" : "n";
  auto group =
      k8s::keyed_hash(key_, {about->uid, about->pod_uid, type, event.reason});
  auto key = k8s::keyed_hash(
      key_, {about->uid, about->pod_uid, type, event.reason, event.message});
  if (series_.count(key) == 0 && count_similar_and_exceeds_limit(group, now)) {
    key = group;
    event.message = "(combined from similar events): " + event.message;
  }
  if (series_.count(key) == 0 && waiting() >= most_waiting_series) {
    ++dropped_;
    return {key, write_time::never};
  }
  auto& s = series_[key];
  if (s.count == 0) {
    s.at = written_.insert(written_.end(), key);
    s.about = about;
    s.first = now;
    s.stamp = static_cast<std::uint64_t>(now.time_since_epoch().count())
              + ++last_stamp_;
  }
  s.event = pack_event(event);
  s.last = now;
  ++s.count;
  return {key, mark_for_write(s)};
}

bool event_correlator::count_similar_and_exceeds_limit(std::uint64_t group,
                                                       k8s::time_point now) {
  auto [i, is_new] = similar_.try_emplace(group);
  auto& similar = i->second;
  if (is_new)
    similar.at = similar_used_.insert(similar_used_.end(), group);
  else
    similar_used_.splice(similar_used_.end(), similar_used_, similar.at);
  if (is_new || now - similar.since > series_lifetime) {
    similar.messages = 0;
    similar.since = now;
  }
  similar.last = now;
  bool result = ++similar.messages > most_different_messages;
  if (similar_.size() > most_written_series)
    forget_similar(similar_used_.begin());
  return result;
}

void event_correlator::forget_similar(keys::iterator which) {
  similar_.erase(*which);
  similar_used_.erase(which);
}

std::string event_correlator::event_object_name(const series& s) {
  char suffix[20];
  std::snprintf(suffix, sizeof suffix, ".%016llx",
                static_cast<unsigned long long>(s.stamp));
  return (s.about->pod.empty() ? s.about->name : s.about->pod) + suffix;
}

write_time event_correlator::mark_for_write(series& s) {
  if (std::exchange(s.waits, true))
    return write_time::never;
  written_.erase(s.at);
  return s.written_count == 0 ? write_time::now : write_time::later;
}

void event_correlator::move_to_written(std::uint64_t key, series& s) {
  s.waits = false;
  s.at = written_.insert(written_.end(), key);
  if (written_.size() > most_written_series) {
    series_.erase(written_.front());
    written_.pop_front();
  }
}

std::optional<event_write>
event_correlator::take_pending_write(std::uint64_t key) {
  auto i = series_.find(key);
  // One that was dropped and has come again may be written already.
  if (i == series_.end() || !i->second.waits)
    return std::nullopt;
  auto& s = i->second;
  event_write result{s.written_count == 0,
                     event_object_name(s),
                     s.about,
                     unpack_event(*s.event),
                     s.count,
                     s.first,
                     s.last};
  s.written_count = s.count;
  ++s.in_flight;
  move_to_written(key, s);
  return result;
}

write_time event_correlator::record_write_result(std::uint64_t key,
                                                 const k8s::failure* why) {
  auto i = series_.find(key);
  if (i == series_.end())
    return write_time::never;
  auto& s = i->second;
  s.in_flight = std::max(s.in_flight - 1, 0); // 0: one dropped and come again.
  if (!why) {
    if (!s.waits && s.in_flight == 0) // There are many that are not repeated.
      s.event = {};
    return write_time::never;
  }
  if (why->code == k8s::ec::exists)
    return write_time::never;
  if (why->is_retryable() && ++s.tries < most_event_writes
      && why->code != k8s::ec::forbidden
      && why->code != k8s::ec::unauthenticated) {
    s.written_count = 0;
    return mark_for_write(s);
  }
  // The namespace is being deleted, or the event has expired.
  ++dropped_;
  if (!s.waits)
    written_.erase(s.at);
  series_.erase(i);
  return write_time::never;
}

void event_correlator::forget_expired_series(k8s::time_point now) {
  // The oldest come first, or nearly so.
  while (!written_.empty()
         && now - series_.at(written_.front()).last > series_lifetime) {
    series_.erase(written_.front());
    written_.pop_front();
  }
  while (!similar_used_.empty()
         && now - similar_.at(similar_used_.front()).last > series_lifetime)
    forget_similar(similar_used_.begin());
}

} // namespace troupe::actors
