#include "frameworks/core/model/status.hpp"

#include "frameworks/core/base/retry.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::core {

namespace {

void remove_condition(std::vector<condition>& all, std::string_view type) {
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const auto& c) { return c.type == type; }),
            all.end());
}

std::string_view mutually_exclusive_condition(std::string_view type) {
  if (type == condition_type::running)
    return condition_type::restarting;
  if (type == condition_type::restarting)
    return condition_type::running;
  return {};
}

/// The job does not run any more, but condition Running keeps its message.
void set_running_condition_false(std::vector<condition>& all) {
  for (auto& c : all)
    if (c.type == condition_type::running)
      c.status = false;
}

bool same_when_written(const condition& a, const condition& b) {
  return a.type == b.type && a.status == b.status && a.reason == b.reason
         && a.message == b.message
         && truncate_to_seconds(a.updated) == truncate_to_seconds(b.updated)
         && truncate_to_seconds(a.last_transition_time)
                == truncate_to_seconds(b.last_transition_time);
}

bool same_when_written(const replica_status& a, const replica_status& b) {
  return a.active == b.active && a.succeeded == b.succeeded
         && a.failed == b.failed && a.selector == b.selector;
}

bool same_when_written(const restart_record& a, const restart_record& b) {
  return a.pod == b.pod && a.uid == b.uid && a.count == b.count;
}

bool same_when_written(const std::optional<time_point>& a,
                       const std::optional<time_point>& b) {
  return a.has_value() == b.has_value()
         && (!a || truncate_to_seconds(*a) == truncate_to_seconds(*b));
}

template <class Items>
bool same_items(const Items& a, const Items& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const auto& x, const auto& y) { return same_when_written(x, y); });
}

/// What is done of a finished job is not written.
bool same_progress_when_written(const job_status& a, const job_status& b) {
  if (!a.is_finished() || !b.is_finished())
    return same_progress(*a.recovery, *b.recovery);
  return same_when_written(a.recovery->last.recovered,
                           b.recovery->last.recovered);
}

bool same_replica_counts(const job_status& a, const job_status& b) {
  return a.tasks.replicas == b.tasks.replicas && a.tasks.ready == b.tasks.ready
         && a.tasks.pods == b.tasks.pods && same_progress_when_written(a, b)
         && a.progress == b.progress
         && std::equal(a.replicas.begin(), a.replicas.end(), b.replicas.begin(),
                       b.replicas.end(), [](const auto& x, const auto& y) {
                         return x.first == y.first
                                && same_when_written(x.second, y.second);
                       });
}

bool same_except_replica_counts(const job_status& a, const job_status& b) {
  return a.phase == b.phase && a.tasks.restarts == b.tasks.restarts
         && a.tasks.reschedules == b.tasks.reschedules
         && same_items(a.conditions, b.conditions)
         && same_items(a.restarts, b.restarts)
         && same_attempts(*a.recovery, *b.recovery)
         && same_when_written(a.start_time, b.start_time)
         && same_when_written(a.completion_time, b.completion_time)
         && same_when_written(a.gang_wait_since, b.gang_wait_since);
}

} // namespace

time_point truncate_to_seconds(time_point t) {
  return std::chrono::floor<seconds>(t);
}

const condition* job_status::find_condition(std::string_view type) const {
  for (const auto& c : conditions)
    if (c.type == type)
      return &c;
  return nullptr;
}

bool job_status::is_condition_true(std::string_view type) const {
  const auto* c = find_condition(type);
  return c && c->status;
}

bool job_status::is_finished() const {
  return is_condition_true(condition_type::succeeded)
         || is_condition_true(condition_type::failed);
}

std::string_view job_status::latest_true_condition() const {
  for (auto c = conditions.rbegin(); c != conditions.rend(); ++c)
    if (c->status)
      return c->type;
  return "";
}

bool job_status::has_no_condition_since_resume() const {
  auto last = conditions.rbegin();
  if (last != conditions.rend() && last->type == condition_type::created)
    ++last;
  return last != conditions.rend() && last->type == condition_type::suspended
         && !last->status;
}

void job_status::put_created_condition_last() {
  std::stable_partition(
      conditions.begin(), conditions.end(),
      [](const auto& c) { return c.type != condition_type::created; });
}

void job_status::put_condition_first(std::string_view type) {
  auto to = conditions.begin();
  if (to != conditions.end() && to->type == condition_type::created)
    ++to;
  auto it = std::find_if(to, conditions.end(),
                         [&](const auto& c) { return c.type == type; });
  if (it != conditions.end())
    std::rotate(to, it, std::next(it));
}

bool job_status::set_condition(std::string_view type, bool value,
                               std::string reason, std::string message,
                               time_point now) {
  if (is_condition_true(condition_type::failed))
    return false;
  const auto* old = find_condition(type);
  if (old && old->status == value && old->reason == reason)
    return false;
  condition fresh{std::string{type},        value,
                  std::move(reason),        std::move(message),
                  truncate_to_seconds(now), truncate_to_seconds(now)};
  if (old && old->status == value)
    fresh.last_transition_time = old->last_transition_time;
  remove_condition(conditions, type);
  if (auto other = mutually_exclusive_condition(type); !other.empty())
    remove_condition(conditions, other);
  if (type == condition_type::failed || type == condition_type::succeeded)
    set_running_condition_false(conditions);
  if (!conditions.empty() && conditions.back().type == condition_type::created)
    std::rotate(conditions.begin(), std::prev(conditions.end()),
                conditions.end());
  conditions.push_back(std::move(fresh));
  return true;
}

void job_status::replace_condition_message(std::string_view type,
                                           std::string message,
                                           time_point now) {
  for (auto& c : conditions)
    if (c.type == type && c.message != message) {
      c.message = std::move(message);
      c.updated = truncate_to_seconds(now);
      return;
    }
}

bool same_restarts(const job_status& a, const job_status& b) {
  return same_items(a.restarts, b.restarts);
}

bool differ_only_in_progress(const job_status& a, const job_status& b) {
  auto other = b;
  other.progress = a.progress;
  return a == other;
}

bool operator==(const job_status& a, const job_status& b) {
  return same_except_replica_counts(a, b) && same_replica_counts(a, b);
}

std::optional<time_point>
status_write_due_at(const job_status& saved, const job_status& wanted,
                    time_point last_write, time_point now,
                    std::chrono::milliseconds between) {
  if (saved == wanted)
    return std::nullopt;
  if (!same_except_replica_counts(saved, wanted))
    return now;
  auto next = last_write + between;
  return has_wait_ended_or_clock_reset(last_write, next, now) ? now : next;
}

} // namespace troupe::core
