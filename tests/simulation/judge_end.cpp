#include "tests/simulation/judge.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

constexpr int patience = 120; // For whatever went wrong before the calm.

const json* condition(const json& status, const char* type) {
  for (const auto& c : at(status, "conditions"))
    if (text(at(c, "type")) == type)
      return &c;
  return nullptr;
}

} // namespace

void judge::judge_the_end() {
  const auto* j = job();
  if (!j)
    return;
  auto m = book_.read((*j)["spec"]);
  if (m.foreign)
    end_of_foreign(*j);
  else if (finished(*j))
    end_of_finished(m, *j);
  else if (m.broken)
    complain("a job that breaks the rules goes on");
  else if (m.suspended)
    end_of_suspended(*j);
  else
    end_of_living(m, *j);
}

void judge::end_of_foreign(const json& job) {
  if (!at(job, "status").empty())
    complain("somebody else's job has a status: " + job["status"].dump());
  nothing_left("though somebody else looks after the job");
}

void judge::nothing_left(const char* why) {
  for (const char* plural : {"pods", "services"})
    for (const auto& [key, o] : api_->all(plural))
      if (ours(o))
        complain(key + " of " + plural + " is left " + why);
}

void judge::end_of_finished(const manifest& m, const json& job) {
  const auto& status = at(job, "status");
  if (is_true(status, "Succeeded") || m.cleanup != "None")
    if (const auto& all = at(status, "replicaStatuses"); all.is_object())
      for (const auto& [type, counts] : all.items())
        if (number(at(counts, "active")) != 0)
          complain("is over, but counts " + type + " as active");
  auto ended = seconds_of(at(status, "completionTime"));
  if (m.ttl && !m.suspended && now() > ended + *m.ttl)
    complain("outlives its time after finishing");
  if (const auto* failed = condition(status, "Failed");
      failed && m.deadline
      && text(at(*failed, "message")).find("specified deadline")
             != std::string::npos) {
    auto due = seconds_of(at(status, "startTime")) + *m.deadline;
    auto then = seconds_of(at(*failed, "lastTransitionTime"));
    if (then > calm_since_ && due > calm_since_ + patience && then != due)
      complain("the deadline was not kept to the second");
  }
  if (m.cleanup == "All")
    nothing_left("under All");
  if (m.cleanup != "Running")
    return;
  std::set<std::pair<std::string, int>> kept;
  for (const auto& r : present()) {
    if (r.phase == "Running" || r.phase == "Pending")
      complain(r.type + "-" + std::to_string(r.index)
               + " is left running under Running");
    kept.insert({r.type, r.index});
  }
  for (const auto& [key, o] : api_->all("services"))
    if (auto r = read(o); ours(o) && kept.count({r.type, r.index}) == 0)
      complain("service " + key + " is left without its pod");
}

void judge::end_of_suspended(const json& job) {
  const auto& status = at(job, "status");
  if (!is_true(status, "Suspended"))
    complain("suspended, but does not say so");
  nothing_left("though suspended");
  if (const auto& all = at(status, "replicaStatuses"); all.is_object())
    for (const auto& [type, counts] : all.items())
      for (const char* what : {"active", "succeeded", "failed"})
        if (number(at(counts, what)) != 0)
          complain("suspended, but counts " + type);
}

void judge::end_of_living(const manifest& m, const json& job) {
  const auto& status = at(job, "status");
  auto all = present();
  if (is_true(status, "Suspended"))
    complain("not suspended, but says so");
  if (book_.succeeded(m, all))
    complain("has succeeded and does not say so");
  for (const auto& r : all) {
    if (book_.replaced(m, r))
      complain(r.type + "-" + std::to_string(r.index) + " is not replaced");
    if (m.limit && *m.limit <= 0 && r.phase == "Failed" && !r.leaving
        && !r.disrupted && m.wants(r.type, r.index))
      complain("a failure without any retries goes unnoticed");
    if (book_.fatal(m, r))
      complain("has failed with " + r.type + "-" + std::to_string(r.index)
               + " and does not say so");
  }
  end_of_slots(m, "pods");
  if (book_.row().services)
    end_of_slots(m, "services");
  else if (!api_->all("services").empty())
    complain("there are services, which nobody wants");
  end_of_counts(m, job);
  end_of_limits(m, job);
  end_of_auxiliary_objects(job);
}

void judge::end_of_slots(const manifest& m, const char* plural) {
  std::map<std::string, int> found;
  for (const auto& [key, o] : api_->all(plural)) {
    if (!ours(o))
      continue;
    auto r = read(o);
    ++found[r.type];
    if (!m.wants(r.type, r.index))
      complain(key + " of " + plural + " is out of range");
  }
  for (const auto& [type, post] : m.posts)
    if (found[type] != post.replicas)
      complain(std::string{plural} + " of " + type + ": "
               + std::to_string(found[type]) + " instead of "
               + std::to_string(post.replicas));
}

void judge::end_of_counts(const manifest& m, const json& job) {
  const auto& status = at(job, "status");
  std::map<std::string, std::map<std::string, int>> counts;
  for (const auto& r : present())
    ++counts[r.type][r.disrupted ? "Disrupted" : r.phase];
  for (const auto& [type, post] : m.posts) {
    const auto* rule = book_.row().find(type);
    const auto& told =
        at(status, "replicaStatuses", rule ? rule->type : type.c_str());
    auto& is = counts[type];
    if (number(at(told, "active")) != is["Running"]
        || number(at(told, "succeeded")) != is["Succeeded"]
        || number(at(told, "failed")) != is["Failed"])
      complain("miscounts " + type + ": " + told.dump());
  }
  for (const auto& type : book_.leaders(m))
    if (counts[type]["Running"] > 0
        && (!is_true(status, "Running") || is_true(status, "Restarting")))
      complain("runs, but says otherwise: " + at(status, "conditions").dump());
}

void judge::end_of_limits(const manifest& m, const json& job) {
  auto start = seconds_of(at(job, "status", "startTime"));
  if (start == 0)
    complain("lives without a startTime");
  if (m.deadline && now() > start + *m.deadline)
    complain("outlives its deadline");
  if (!m.limit)
    return;
  int live = 0;
  for (const auto& [key, pod] : api_->all("pods")) {
    auto r = read(pod);
    const auto* p = m.find(r.type);
    if (ours(pod) && p && p->policy != "Never" && r.phase == "Running")
      live += restarts_[uid_of(pod)];
  }
  if (live > 0 && live + granted_ >= std::max(*m.limit, 1))
    complain("restarted " + std::to_string(live + granted_) + " times with "
             + "a limit of " + std::to_string(*m.limit));
}

} // namespace troupe::simulation
