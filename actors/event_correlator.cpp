#include "actors/event_correlator.hpp"

#include <cstdio>
#include <utility>

namespace troupe::actors {

namespace {

constexpr std::chrono::minutes series_lifetime{10};
constexpr std::chrono::minutes clean_up_interval{1};
constexpr int most_different_messages = 10;
constexpr int most_event_writes = 4; ///< Attempts, until a series is dropped.

/// FNV-1a of the texts, each with an end mark.
template <class... Texts>
std::uint64_t hash_texts(const Texts&... texts) {
  std::uint64_t result = 14695981039346656037u;
  auto add = [&](const std::string& text) {
    for (unsigned char c : text)
      result = (result ^ c) * 1099511628211u;
    result = (result ^ 0xff) * 1099511628211u;
  };
  (add(texts), ...);
  return result;
}

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
  auto type = std::string{event.warning ? "w" : "n"};
  auto group = hash_texts(about->uid, type, event.reason);
  auto key = hash_texts(about->uid, type, event.reason, event.message);
  if (series_.count(key) == 0) {
    auto& similar = similar_[group];
    if (now - similar.since > series_lifetime)
      similar = similar_events{0, now};
    if (++similar.messages > most_different_messages) {
      key = group;
      event.message = "(combined from similar events): " + event.message;
    }
  }
  auto& s = series_[key];
  if (s.count == 0) {
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

std::string event_correlator::event_object_name(const series& s) {
  char suffix[20];
  std::snprintf(suffix, sizeof suffix, ".%016llx",
                static_cast<unsigned long long>(s.stamp));
  return s.about->name + suffix;
}

write_time event_correlator::mark_for_write(series& s) {
  if (std::exchange(s.waits, true))
    return write_time::never;
  return s.written_count == 0 ? write_time::now : write_time::later;
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
  s.waits = false;
  s.written_count = s.count;
  return result;
}

write_time event_correlator::record_write_result(std::uint64_t key,
                                                 const k8s::failure* why) {
  auto i = series_.find(key);
  if (i == series_.end())
    return write_time::never;
  auto& s = i->second;
  if (!why) {
    if (!s.waits) // There are many that are not repeated.
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
  series_.erase(i);
  return write_time::never;
}

void event_correlator::forget_expired_series(k8s::time_point now) {
  if (now - cleaned_up_ < clean_up_interval)
    return;
  cleaned_up_ = now;
  for (auto i = series_.begin(); i != series_.end();)
    if (!i->second.waits && now - i->second.last > series_lifetime)
      i = series_.erase(i);
    else
      ++i;
  for (auto i = similar_.begin(); i != similar_.end();)
    if (now - i->second.since > series_lifetime)
      i = similar_.erase(i);
    else
      ++i;
}

} // namespace troupe::actors
