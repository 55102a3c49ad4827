#include "frameworks/core/recovery/course.hpp"

#include "frameworks/core/base/numbers.hpp"
#include "frameworks/core/base/retry.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

/// The attempt of the pods of all types together: no pod of an older one may be
/// beside any other.
std::int32_t lowest_attempt(const job& j, const recovery_status& r) {
  auto lowest = r.attempt;
  for (const auto& type : j.replicas)
    lowest = std::min(lowest, r.attempt_of(type.type));
  return lowest;
}

/// Types of one attempt were restarted together, or never.
bool are_restarted_together(const restart_state& s, const replica_spec& a,
                            const replica_spec& b) {
  return s.wanted.attempt_of(a.type) == s.wanted.attempt_of(b.type);
}

bool is_older_pod_left(const restart_state& s, const replica_spec& type,
                       std::int32_t lowest) {
  const auto& older = s.children.of_older_attempts;
  return std::any_of(older.begin(), older.end(), [&](const child_view* pod) {
    const auto* other = s.of.find_replica_spec(pod->at.type);
    return pod->attempt < lowest
           || (other && are_restarted_together(s, *other, type));
  });
}

bool is_creating_older_pod(const restart_state& s, const replica_spec& type,
                           std::int32_t lowest) {
  const auto& types = s.of.replicas;
  return s.open.is_creating_older_pod("", lowest)
         || std::any_of(types.begin(), types.end(), [&](const auto& other) {
              return are_restarted_together(s, other, type)
                     && s.open.is_creating_older_pod(
                         other.label, s.wanted.attempt_of(other.type));
            });
}

bool has_pods_of_latest_attempt(const restart_state& s) {
  for (const auto& type : s.children.types)
    if (s.wanted.attempt_of(type.spec->type) == s.wanted.attempt)
      for (const auto& state : type.slots)
        if (state.pod)
          return true;
  return false;
}

bool is_creating_older_pods(const restart_state& s) {
  for (const auto& type : s.of.replicas)
    if (s.open.is_creating_older_pod(type.label,
                                     s.wanted.attempt_of(type.type)))
      return true;
  return false;
}

bool has_delay_passed(const restart_state& s) {
  auto start = delayed_start_of_attempt(s.wanted);
  return !start
         || has_wait_ended_or_clock_reset(s.wanted.last.time, *start, s.now);
}

} // namespace

const char* to_string(restart_stage s) {
  switch (s) {
  case restart_stage::none:
    return "";
  case restart_stage::decided:
    return "decided";
  case restart_stage::saved:
    return "saved";
  case restart_stage::stopping:
    return "stopping";
  case restart_stage::stopped:
    return "stopped";
  case restart_stage::starting:
    return "starting";
  }
  return "";
}

restart_stage stage_of_restart(const restart_state& s) {
  if (s.wanted.attempt == 0 || s.wanted.last.recovered)
    return restart_stage::none;
  if (s.wanted.attempt != s.saved.attempt)
    return restart_stage::decided;
  const auto& older = s.children.of_older_attempts;
  if (!older.empty())
    return std::any_of(older.begin(), older.end(),
                       [](const auto* pod) { return pod->is_leaving(); })
               ? restart_stage::stopping
               : restart_stage::saved;
  if (is_creating_older_pods(s))
    return restart_stage::stopping;
  return has_pods_of_latest_attempt(s) ? restart_stage::starting
                                       : restart_stage::stopped;
}

bool is_type_held_by_restart(const restart_state& s, const replica_spec& type) {
  if (s.wanted.attempt == 0)
    return false;
  auto attempt = s.wanted.attempt_of(type.type);
  if (attempt != s.saved.attempt_of(type.type))
    return true;
  auto lowest = lowest_attempt(s.of, s.wanted);
  return is_older_pod_left(s, type, lowest)
         || is_creating_older_pod(s, type, lowest)
         || (attempt == s.wanted.attempt && !has_delay_passed(s));
}

bool may_stop_older_attempts(const restart_state& s) {
  return s.wanted.attempt > 0 && s.saved.attempt == s.wanted.attempt;
}

std::optional<time_point> delayed_start_of_attempt(const recovery_status& r) {
  auto delay = replacement_delay_after_early_failures(r.last.early_ends);
  if (r.attempt == 0 || delay == seconds{0})
    return std::nullopt;
  return r.last.time + delay;
}

// -- the budget, and the next attempt -----------------------------------------

namespace {

std::int64_t restarts_in_window(const job& j, const recovery_status& r,
                                time_point now) {
  const auto& policy = j.failure_policy_or_default();
  if (!policy.window)
    return r.counted;
  return std::count_if(
      r.counted_times.begin(), r.counted_times.end(),
      [&](time_point t) { return t > now || now - t < *policy.window; });
}

std::string times(std::int64_t n) {
  return std::to_string(n) + (n == 1 ? " time" : " times");
}

/// An attempt of which a pod says that it is of it exists, whatever the status
/// says: somebody may have put back an old status.
std::int32_t next_attempt(const restart_state& s) {
  auto latest = s.wanted.attempt;
  for (const auto& type : s.children.types)
    for (const auto& state : type.slots)
      if (state.pod)
        latest = std::max(latest, state.pod->attempt);
  return std::min(latest, max_restart_attempt - 1) + 1;
}

void count_restart(recovery_status& r, const job& j, time_point now) {
  add_saturated(r.counted, 1);
  const auto& policy = j.failure_policy_or_default();
  if (!policy.window) {
    r.counted_times.clear();
    return;
  }
  auto& all = r.counted_times;
  all.erase(
      std::remove_if(all.begin(), all.end(),
                     [&](time_point t) { return now - t >= *policy.window; }),
      all.end());
  all.push_back(now);
}

} // namespace

std::string exceeded_restart_budget(const job& j, const recovery_status& r,
                                    std::int64_t pod_restarts, time_point now) {
  const auto& policy = j.failure_policy_or_default();
  if (policy.max_restarts) {
    if (restarts_in_window(j, r, now) < *policy.max_restarts)
      return {};
    return "it was restarted " + times(*policy.max_restarts)
           + (policy.window ? " within " + policy.window_text : "");
  }
  bool exceeded = j.policy.backoff_limit
                  && r.counted + pod_restarts >= *j.policy.backoff_limit;
  return exceeded ? "it has reached the specified backoff limit" : "";
}

recovery_status begin_attempt(const restart_state& s,
                              const restart_decision& why) {
  auto now = truncate_to_seconds(s.now);
  auto result = s.wanted;
  result.attempt = next_attempt(s);
  result.type_attempts.clear();
  std::string types;
  for (const auto& type : s.of.replicas) {
    if (why.types.empty() || why.types.count(type.type) > 0) {
      result.completed.erase(type.type);
      if (!why.types.empty())
        types += (types.empty() ? "" : ",") + type.type;
    } else {
      result.type_attempts[type.type] = s.wanted.attempt_of(type.type);
    }
  }
  if (why.counts)
    count_restart(result, s.of, now);
  auto early = why.ended_early ? s.wanted.last.early_ends : -1;
  add_saturated(early, 1);
  result.last = {now,   why.reason, why.pod,     why.node,
                 types, early,      std::nullopt};
  return result;
}

} // namespace troupe::core
