#include "frameworks/core/model/expectations.hpp"

#include "frameworks/core/base/retry.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::core {

namespace {

template <class Map, class Key>
auto& start_expectation_keep_failure_count(Map& entries, const Key& key,
                                           time_point now) {
  auto& e = entries[key];
  e.since = now;
  e.retry_not_before.reset(); // The count of failures is kept.
  e.name_freed = false;
  return e;
}

/// Ends the expectation, but keeps the count of failures.
template <class Map, class Key>
void end_expectation_keep_failure_count(Map& entries, const Key& key) {
  auto i = entries.find(key);
  if (i == entries.end())
    return;
  if (i->second.attempts == 0)
    entries.erase(i);
  else
    i->second.retry_not_before = i->second.since;
}

template <class Map, class Key, class Failure>
void record_failure(Map& entries, const Key& key, time_point until,
                    Failure why) {
  auto& e = entries[key];
  e.last_failure = std::move(why);
  e.retry_not_before = until;
  ++e.attempts;
}

template <class Map, class Key>
int failure_count(const Map& entries, const Key& key) {
  auto i = entries.find(key);
  return i == entries.end() ? 0 : i->second.attempts;
}

/// Every order has a result, so an order in flight blocks without a limit.
template <class Entry>
bool is_in_flight_or_backing_off(const Entry& e, time_point now) {
  return !e.retry_not_before
         || !has_wait_ended_or_clock_reset(e.since, *e.retry_not_before, now);
}

template <class Map, class Key>
bool is_key_blocked(const Map& entries, const Key& key, time_point now) {
  auto i = entries.find(key);
  return i != entries.end() && is_in_flight_or_backing_off(i->second, now);
}

template <class Map>
void add_blocking_entries(expectations::blocking& to, const Map& entries,
                          time_point now) {
  for (const auto& [key, e] : entries)
    if (is_in_flight_or_backing_off(e, now)) {
      ++to.count;
      to.oldest = std::min(to.oldest.value_or(e.since), e.since);
    }
}

template <class Map>
void update_earliest_retry(std::optional<time_point>& best, const Map& entries,
                           time_point now) {
  for (const auto& [key, e] : entries)
    if (e.retry_not_before && is_in_flight_or_backing_off(e, now)
        && (!best || *e.retry_not_before < *best))
      best = e.retry_not_before;
}

} // namespace

bool operator<(const creation_key& a, const creation_key& b) {
  return std::tie(a.kind, a.at, a.name) < std::tie(b.kind, b.at, b.name);
}

void expectations::expect_creation(const creation_key& key, time_point now,
                                   std::int32_t attempt) {
  start_expectation_keep_failure_count(creations_, key, now).pod_attempt =
      attempt;
}

bool expectations::is_creating_older_pod(const std::string& type,
                                         std::int32_t attempt) const {
  return std::any_of(creations_.begin(), creations_.end(), [&](const auto& c) {
    return c.first.kind == child_kind::pod && !c.second.retry_not_before
           && (type.empty() || c.first.at.type == type)
           && c.second.pod_attempt < attempt;
  });
}

void expectations::expect_operation(child_kind kind, const std::string& uid,
                                    operation action, time_point now) {
  start_expectation_keep_failure_count(operations_, std::make_pair(kind, uid),
                                       now)
      .action = action;
}

void expectations::forget_creation(const creation_key& key) {
  creations_.erase(key);
}

void expectations::forget_operation(child_kind kind, const std::string& uid) {
  operations_.erase({kind, uid});
}

void expectations::end_creation_expectation(const creation_key& key) {
  end_expectation_keep_failure_count(creations_, key);
}

void expectations::block_creation_after_failure(
    const creation_key& key, time_point until, const k8s::failure& why,
    const std::optional<next_move>& whose_move) {
  record_failure(creations_, key, until, order_failure{why, whose_move});
}

void expectations::block_creation_since_order(const creation_key& key,
                                              std::chrono::milliseconds delay,
                                              const k8s::failure& why) {
  record_failure(creations_, key, creations_[key].since + delay,
                 order_failure{why, std::nullopt});
}

void expectations::block_operation_after_failure(child_kind kind,
                                                 const std::string& uid,
                                                 time_point until,
                                                 const k8s::failure& why) {
  record_failure(operations_, std::make_pair(kind, uid), until,
                 order_failure{why, std::nullopt});
}

int expectations::consecutive_creation_failures(const creation_key& key) const {
  return failure_count(creations_, key);
}

int expectations::consecutive_operation_failures(child_kind kind,
                                                 const std::string& uid) const {
  return failure_count(operations_, std::make_pair(kind, uid));
}

std::vector<creation_key>
expectations::creations_of_taken_names(child_kind kind) const {
  std::vector<creation_key> result;
  for (const auto& [key, e] : creations_)
    if (key.kind == kind && e.attempts > 0
        && e.last_failure->why.code == k8s::ec::exists)
      result.push_back(key);
  return result;
}

void expectations::note_name_freed(
    child_kind kind,
    const std::function<bool(const creation_key& key)>& has_that_name) {
  for (auto& [key, e] : creations_)
    if (key.kind == kind && !e.retry_not_before && has_that_name(key))
      e.name_freed = true;
}

bool expectations::was_name_freed(const creation_key& key) const {
  auto i = creations_.find(key);
  return i != creations_.end() && i->second.name_freed;
}

bool expectations::forget_failures_and_end_back_off(const creation_key& key) {
  auto i = creations_.find(key);
  if (i == creations_.end())
    return false;
  if (i->second.retry_not_before) {
    creations_.erase(i);
    return true;
  }
  i->second.attempts = 0;
  return false;
}

bool expectations::is_creation_blocked(const creation_key& key,
                                       time_point now) const {
  return is_key_blocked(creations_, key, now);
}

bool expectations::is_child_operation_blocked(child_kind kind,
                                              const std::string& uid,
                                              time_point now) const {
  return is_key_blocked(operations_, std::make_pair(kind, uid), now);
}

bool expectations::has_creation_in_flight() const {
  return std::any_of(creations_.begin(), creations_.end(),
                     [](const auto& c) { return !c.second.retry_not_before; });
}

bool expectations::has_unblocked_creation(time_point now) const {
  return std::any_of(creations_.begin(), creations_.end(), [&](const auto& c) {
    return !is_in_flight_or_backing_off(c.second, now);
  });
}

void expectations::forget_failed_creations_where(
    const std::function<bool(const creation_key& key)>& is_obsolete) {
  for (auto i = creations_.begin(); i != creations_.end();)
    if (i->second.retry_not_before && is_obsolete(i->first))
      i = creations_.erase(i);
    else
      ++i;
}

expectations::blocking
expectations::count_blocking_expectations(time_point now) const {
  blocking result;
  add_blocking_entries(result, creations_, now);
  add_blocking_entries(result, operations_, now);
  return result;
}

std::optional<time_point> expectations::next_retry_at(time_point now) const {
  std::optional<time_point> earliest;
  update_earliest_retry(earliest, creations_, now);
  update_earliest_retry(earliest, operations_, now);
  return earliest;
}

std::vector<expectations::row> expectations::report_rows() const {
  std::vector<row> result;
  for (const auto& [key, e] : creations_)
    result.push_back({key.kind, std::nullopt,
                      is_replica_child(key.kind) ? to_string(key.at) : key.name,
                      e.since, e.retry_not_before, e.attempts,
                      e.last_failure->why, e.last_failure->whose_move});
  for (const auto& [key, e] : operations_)
    result.push_back({key.first, e.action, key.second, e.since,
                      e.retry_not_before, e.attempts, e.last_failure->why,
                      e.last_failure->whose_move});
  std::stable_sort(
      result.begin(), result.end(),
      [](const row& a, const row& b) { return a.since < b.since; });
  return result;
}

} // namespace troupe::core
