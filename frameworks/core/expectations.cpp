#include "frameworks/core/expectations.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

template <class Map, class Key>
void raise(Map& entries, const Key& key, time_point now) {
  auto& e = entries[key];
  e.since = now;
  e.held_until.reset(); // The attempts in a row stay.
}

/// As if it had never been asked; attempts that were made stay counted.
template <class Map, class Key>
void withdraw(Map& entries, const Key& key) {
  auto i = entries.find(key);
  if (i == entries.end())
    return;
  if (i->second.attempts == 0)
    entries.erase(i);
  else
    i->second.held_until = i->second.since;
}

template <class Map, class Key>
void refuse(Map& entries, const Key& key, time_point until) {
  auto& e = entries[key];
  e.held_until = until;
  ++e.attempts;
}

template <class Map, class Key>
int attempts(const Map& entries, const Key& key) {
  auto i = entries.find(key);
  return i == entries.end() ? 0 : i->second.attempts;
}

/// Until when nothing may be decided about it. An order always ends in a
/// report, so what is only expected has no end of its own.
template <class Entry>
time_point ends(const Entry& e) {
  return e.held_until.value_or(time_point::max());
}

template <class Map, class Key>
bool is_open(const Map& entries, const Key& key, time_point now) {
  auto i = entries.find(key);
  return i != entries.end() && now < ends(i->second);
}

template <class Map>
void earliest(std::optional<time_point>& best, const Map& entries,
              time_point now) {
  for (const auto& [key, e] : entries)
    if (e.held_until && *e.held_until > now && (!best || *e.held_until < *best))
      best = e.held_until;
}

} // namespace

void expectations::expect_creation(child_kind kind, const slot& at,
                                   time_point now) {
  raise(creations_, std::make_pair(kind, at), now);
}

void expectations::expect_operation(child_kind kind, const std::string& uid,
                                    operation action, time_point now) {
  auto key = std::make_pair(kind, uid);
  raise(changes_, key, now);
  changes_[key].action = action;
}

void expectations::creation_met(child_kind kind, const slot& at) {
  creations_.erase({kind, at});
}

void expectations::operation_met(child_kind kind, const std::string& uid) {
  changes_.erase({kind, uid});
}

void expectations::cancel_creation(child_kind kind, const slot& at) {
  withdraw(creations_, std::make_pair(kind, at));
}

void expectations::creation_failed(child_kind kind, const slot& at,
                                   time_point until) {
  refuse(creations_, std::make_pair(kind, at), until);
}

void expectations::operation_failed(child_kind kind, const std::string& uid,
                                    time_point until) {
  refuse(changes_, std::make_pair(kind, uid), until);
}

int expectations::creation_failures(child_kind kind, const slot& at) const {
  return attempts(creations_, std::make_pair(kind, at));
}

int expectations::operation_failures(child_kind kind,
                                     const std::string& uid) const {
  return attempts(changes_, std::make_pair(kind, uid));
}

bool expectations::creation_pending(child_kind kind, const slot& at,
                                    time_point now) const {
  return is_open(creations_, std::make_pair(kind, at), now);
}

bool expectations::operation_pending(child_kind kind, const std::string& uid,
                                     time_point now) const {
  return is_open(changes_, std::make_pair(kind, uid), now);
}

std::optional<time_point> expectations::next_retry_at(time_point now) const {
  std::optional<time_point> best;
  earliest(best, creations_, now);
  earliest(best, changes_, now);
  return best;
}

std::vector<expectations::row> expectations::rows() const {
  std::vector<row> result;
  for (const auto& [key, e] : creations_)
    result.push_back({key.first, std::nullopt, to_string(key.first, key.second),
                      e.since, e.held_until, e.attempts});
  for (const auto& [key, e] : changes_)
    result.push_back(
        {key.first, e.action, key.second, e.since, e.held_until, e.attempts});
  std::stable_sort(
      result.begin(), result.end(),
      [](const row& a, const row& b) { return a.since < b.since; });
  return result;
}

const char* to_string(expectations::operation c) {
  using operation = expectations::operation;
  switch (c) {
  case operation::update:
    return "update";
  case operation::annotate:
    return "annotate";
  case operation::read:
    return "read";
  case operation::remove:
    return "delete";
  case operation::adopt:
    return "adopt";
  case operation::release:
    return "release";
  }
  return "";
}

} // namespace troupe::core
