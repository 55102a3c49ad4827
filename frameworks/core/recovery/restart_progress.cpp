#include "frameworks/core/recovery/restart_progress.hpp"

#include <algorithm>
#include <set>

namespace troupe::core {

namespace {

std::int64_t pods_of_latest_attempt(const restart_state& s) {
  std::int64_t count = 0;
  for (const auto& type : s.of.replicas)
    if (s.wanted.attempt_of(type.type) == s.wanted.attempt)
      count += type.replicas;
  return count;
}

void add_older_pods(restart_progress& p, const restart_state& s) {
  bool all_known = true;
  std::set<std::string> nodes;
  for (const auto* pod : s.children.of_older_attempts) {
    p.older_attempt = std::max(p.older_attempt, pod->attempt);
    if (pod->is_finished()) {
      ++p.older_ended;
      continue;
    }
    ++p.older_running;
    all_known = all_known && pod->leaves_by != time_point{};
    p.last_leaves_by = std::max(p.last_leaves_by, pod->leaves_by);
    if (pod->trouble && !pod->trouble->node.empty())
      nodes.insert(pod->trouble->node);
  }
  if (!all_known)
    p.last_leaves_by = {};
  p.nodes.assign(nodes.begin(), nodes.end());
}

std::string count_of_pods(std::int64_t n) {
  return std::to_string(n) + (n == 1 ? " pod" : " pods");
}

std::string describe_older_pods(const restart_progress& p) {
  auto of = " of attempt " + std::to_string(p.older_attempt);
  if (p.older_running > 0) {
    auto all = std::max(p.restarted, p.older_running + p.older_ended);
    return std::to_string(p.older_running) + " of " + count_of_pods(all) + of
           + " still " + (p.older_running == 1 ? "runs" : "run")
           + last_end_clause(p.last_leaves_by);
  }
  if (p.older_ended > 0)
    return count_of_pods(p.older_ended) + of
           + (p.older_ended == 1 ? " has" : " have") + " ended and "
           + (p.older_ended == 1 ? "is" : "are") + " being deleted";
  return "the creation of a pod of an older attempt has no result yet";
}

} // namespace

std::string utc_time_of_day(time_point t) {
  constexpr std::size_t time_begins = 11; // In 2026-01-31T12:01:00Z.
  return k8s::to_rfc3339(t).substr(time_begins, 8) + " UTC";
}

std::string last_end_clause(time_point last_leaves_by) {
  return last_leaves_by == time_point{}
             ? ""
             : ", the last may take until " + utc_time_of_day(last_leaves_by);
}

restart_progress progress_of_restart(const restart_state& s) {
  restart_progress p;
  p.stage = stage_of_restart(s);
  p.attempt = s.wanted.attempt;
  p.restarted = pods_of_latest_attempt(s);
  add_older_pods(p, s);
  auto start = delayed_start_of_attempt(s.wanted);
  if (p.stage == restart_stage::stopped && start && s.now < *start)
    p.starts_at = start;
  return p;
}

std::string describe_progress_of_restart(const restart_progress& p) {
  switch (p.stage) {
  case restart_stage::none:
  case restart_stage::starting:
    return "";
  case restart_stage::decided:
    return "this is being recorded, then pods are stopped";
  case restart_stage::saved:
  case restart_stage::stopping:
    return describe_older_pods(p);
  case restart_stage::stopped:
    break;
  }
  if (p.starts_at)
    return "the pods before are gone; because attempts ended shortly after "
           "their start, it begins at "
           + utc_time_of_day(*p.starts_at);
  return "the pods before are gone, " + count_of_pods(p.restarted)
         + (p.restarted == 1 ? " is" : " are") + " being made";
}

std::vector<const child_view*>
pods_made_before_policy(const job& j, const observed_children& seen) {
  std::vector<const child_view*> found;
  if (!j.failure_policy_or_default().may_restart_beyond_pod())
    return found;
  for (const auto& pod : seen.pods()) {
    const auto* type = j.find_replica_spec(pod.at.type);
    bool by_kubelet = type
                      && (type->restart == restart_policy::always
                          || type->restart == restart_policy::on_failure);
    if (by_kubelet && pod.owned && pod.labels_match_job && !pod.says_attempt
        && !pod.is_finished())
      found.push_back(&pod);
  }
  return found;
}

} // namespace troupe::core
