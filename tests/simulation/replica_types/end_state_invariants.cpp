#include "tests/simulation/replica_types/replica_type_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

constexpr int grace = 120; // Seconds, for back-offs that began earlier.

const json* condition(const json& status, const char* type) {
  for (const auto& c : at(status, "conditions"))
    if (text(at(c, "type")) == type)
      return &c;
  return nullptr;
}

/// Nothing has happened since the job was resumed.
bool was_resumed_last(const json& status) {
  const auto& conditions = at(status, "conditions");
  if (!conditions.is_array() || conditions.size() < 2
      || text(at(conditions.back(), "type")) != "Created")
    return false;
  const auto& before = conditions[conditions.size() - 2];
  return text(at(before, "type")) == "Suspended"
         && text(at(before, "status")) == "False";
}

} // namespace

void replica_type_invariants::check_end_state() {
  const auto* j = job();
  if (!j)
    return;
  auto m = rules_.read_at_start(*j);
  if (m.wrong_policy
      && some([](const manifest& other) { return !other.invalid; }))
    m.invalid = false;
  if (m.foreign)
    check_foreign_at_end(*j);
  else if (finished(*j))
    check_finished_at_end(m, *j);
  else if (m.invalid)
    report_violation("an invalid job is not failed");
  else if (m.suspended)
    check_suspended_at_end(*j);
  else
    check_unfinished_at_end(m, *j);
  check_pod_group_at_end(m, *j);
}

void replica_type_invariants::check_foreign_at_end(const json& job) {
  if (!at(job, "status").empty())
    report_violation("a job of another controller has a status: "
                     + job["status"].dump());
  nothing_left("though another controller manages the job");
}

void replica_type_invariants::nothing_left(const char* why) {
  for (const char* plural : {"pods", "services"})
    for (const auto& [key, o] : api().all(plural))
      if (ours(o))
        report_violation(key + " of " + plural + " is left " + why);
}

void replica_type_invariants::check_finished_at_end(const manifest& m,
                                                    const json& job) {
  const auto& status = at(job, "status");
  if (is_true(status, "Succeeded") || m.cleanup != "None")
    if (const auto& all = at(status, "replicaStatuses"); all.is_object())
      for (const auto& [type, counts] : all.items())
        if (number(at(counts, "active")) != 0)
          report_violation("is over, but counts " + type + " as active");
  auto ended = seconds_of(at(status, "completionTime"));
  if (m.ttl && !m.suspended && now() > ended + *m.ttl)
    report_violation("is not deleted after its TTL");
  if (const auto* failed = condition(status, "Failed");
      failed && m.deadline
      && text(at(*failed, "message")).find("specified deadline")
             != std::string::npos) {
    auto due = seconds_of(at(status, "startTime")) + *m.deadline;
    auto then = seconds_of(at(*failed, "lastTransitionTime"));
    if (then > faults_stopped_at() && due > faults_stopped_at() + grace
        && then != due)
      report_violation("the deadline was not kept to the second");
  }
  if (m.cleanup == "All")
    nothing_left("under All");
  if (m.cleanup != "Running")
    return;
  for (const auto& r : present_replicas())
    if (r.phase == "Running" || r.phase == "Pending")
      report_violation(r.type + "-" + std::to_string(r.index)
                       + " is left running under Running");
  for (const auto& [key, o] : api().all("services"))
    if (ours(o))
      report_violation("service " + key + " is left under Running");
}

void replica_type_invariants::check_suspended_at_end(const json& job) {
  const auto& status = at(job, "status");
  if (!is_true(status, "Suspended"))
    report_violation("suspended, but has no condition Suspended");
  nothing_left("though suspended");
  if (const auto& all = at(status, "replicaStatuses"); all.is_object())
    for (const auto& [type, counts] : all.items())
      for (const char* what : {"active", "succeeded", "failed"})
        if (number(at(counts, what)) != 0)
          report_violation("suspended, but counts " + type);
}

void replica_type_invariants::check_unfinished_at_end(const manifest& m,
                                                      const json& job) {
  const auto& status = at(job, "status");
  auto all = present_replicas();
  if (is_true(status, "Suspended"))
    report_violation("not suspended, but has the condition Suspended");
  bool without_pods_since_resumed = all.empty() && was_resumed_last(status);
  if (gang_waits()
      && (at(status, "startTime").is_null() || without_pods_since_resumed)) {
    // What a former leader created late, when the gang had been admitted,
    // stays, and nobody looks at it before the gang is admitted again.
    bool admitted_before =
        std::any_of(known_.begin(), known_.end(), [this](const auto& entry) {
          return entry.first != present_process()
                 && entry.second.admitted.count(job_uid()) > 0;
        });
    if (!admitted_before)
      nothing_left("though its gang waits");
    return;
  }
  auto done = all;
  for (auto& r : completed_replicas())
    if (!find(all, r.type, r.index))
      done.push_back(std::move(r));
  if (rules_.succeeded(m, done))
    report_violation("has succeeded, but has no condition Succeeded");
  for (const auto& r : all) {
    if (rules_.replaced(m, r))
      report_violation(r.type + "-" + std::to_string(r.index)
                       + " is not replaced");
    if (m.limit && *m.limit <= 0 && r.phase == "Failed" && !r.deleting
        && !r.disrupted && m.wants(r.type, r.index))
      report_violation("a failed pod is ignored though no retry is left");
    if (rules_.fatal(m, r))
      report_violation("has failed with " + r.type + "-"
                       + std::to_string(r.index)
                       + ", but has no condition Failed");
  }
  check_attempts_at_end(m);
  check_silence_at_end(m, status);
  check_slots_at_end(m, "pods");
  if (rules_.row().pods.services)
    check_slots_at_end(m, "services");
  else if (!api().all("services").empty())
    report_violation("there are services, which are not wanted");
  check_counts_at_end(m, job);
  check_limits_at_end(m, job);
  check_auxiliary_objects_at_end(job);
}

void replica_type_invariants::check_slots_at_end(const manifest& m,
                                                 const char* plural) {
  std::map<std::string, int> found;
  for (const auto& [key, o] : api().all(plural)) {
    if (!ours(o))
      continue;
    auto r = read(o);
    ++found[r.type];
    if (!m.wants(r.type, r.index))
      report_violation(key + " of " + plural + " is out of range");
  }
  if (plural == std::string{"pods"})
    for (const auto& [type, replica_spec] : m.replica_specs)
      found[type] += completed_without_pod(m, type);
  for (const auto& [type, replica_spec] : m.replica_specs)
    if (found[type] != replica_spec.replicas
        && !(gang_waits() && found[type] < replica_spec.replicas))
      report_violation(std::string{plural} + " of " + type + ": "
                       + std::to_string(found[type]) + " instead of "
                       + std::to_string(replica_spec.replicas));
}

void replica_type_invariants::check_counts_at_end(const manifest& m,
                                                  const json& job) {
  const auto& status = at(job, "status");
  std::map<std::string, std::map<std::string, int>> counts;
  for (const auto& r : present_replicas())
    ++counts[r.type][r.disrupted ? "Disrupted" : r.phase];
  for (const auto& [type, replica_spec] : m.replica_specs) {
    const auto* rule = rules_.row().find_rule_by_label(type);
    const auto& counted =
        at(status, "replicaStatuses", rule ? rule->type : type.c_str());
    auto& is = counts[type];
    if (number(at(counted, "active")) != is["Running"]
        || number(at(counted, "succeeded"))
               != is["Succeeded"] + completed_without_pod(m, type)
        || number(at(counted, "failed")) != is["Failed"])
      report_violation("miscounts " + type + ": " + counted.dump());
  }
  for (const auto& type : rules_.leaders(m))
    if (counts[type]["Running"] > 0
        && (!is_true(status, "Running") || is_true(status, "Restarting"))
        && !(gang_waits() && is_true(status, "Restarting")))
      report_violation("runs, but has not this condition alone: "
                       + at(status, "conditions").dump());
}

void replica_type_invariants::check_limits_at_end(const manifest& m,
                                                  const json& job) {
  auto start = seconds_of(at(job, "status", "startTime"));
  if (start == 0)
    report_violation("has no startTime");
  if (m.deadline && now() > start + *m.deadline)
    report_violation("runs after its deadline");
  if (!m.limit)
    return;
  int live = 0;
  for (const auto& [key, pod] : api().all("pods")) {
    auto r = read(pod);
    const auto* p = m.find(r.type);
    if (ours(pod) && p && p->policy != "Never" && r.phase == "Running")
      live += restarts_[uid_of(pod)];
  }
  if (live > 0 && live + replacements_counted_ >= std::max(*m.limit, 1))
    report_violation("restarted " + std::to_string(live + replacements_counted_)
                     + " times with " + "a limit of "
                     + std::to_string(*m.limit));
}

} // namespace troupe::simulation
