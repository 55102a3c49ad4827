#include "tests/simulation/replica_types/replica_type_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

replica_type_invariants::replica_type_invariants(
    const kind_rules& rules, std::shared_ptr<simulated_api_server> api,
    std::string job_key)
    : invariant_checker(rules.row(), std::move(api), std::move(job_key))
    , rules_(rules)
    , ledger_(rules, [this](const auto& test) { return some(test); }) {}

bool replica_type_invariants::some(
    const std::function<bool(const manifest&)>& test) const {
  const auto& all = writer().manifests;
  return std::any_of(all.begin(), all.end(), test);
}

replica replica_type_invariants::read(const json& pod) const {
  replica r;
  r.type = label(pod, "replica-type");
  const auto& index = label(pod, "replica-index");
  r.index = index.empty() ? 0 : std::stoi(index);
  r.phase = phase_of(pod);
  r.deleting = deleting(pod);
  r.attempt = attempt_of(pod);
  if (r.phase == "Failed")
    r.status = std::make_shared<const json>(at(pod, "status"));
  for (const auto& c : at(pod, "status", "conditions"))
    r.disrupted |= r.phase == "Failed"
                   && text(at(c, "type")) == "DisruptionTarget"
                   && text(at(c, "status")) == "True";
  const auto& containers = at(pod, "status", "containerStatuses");
  if (containers.is_array() && !containers.empty())
    if (const auto& end = at(containers[0], "state", "terminated");
        end.is_object())
      r.exit_code = number(at(end, "exitCode"));
  return r;
}

bool replica_type_invariants::adoptable(const json& object) const {
  return owner_of(object).is_null() && label(object, "job-name") == "job";
}

replica_list replica_type_invariants::present_replicas() const {
  replica_list all;
  for (const auto& [key, pod] : api().all("pods"))
    if (ours(pod))
      all.push_back(read(pod));
  return all;
}

// -- what happened ------------------------------------------------------------

void replica_type_invariants::record_change(const std::string& type,
                                            const std::string& plural,
                                            const json& object) {
  if (plural == "pods" && ours(object) && label(object, "job-name") == "job")
    pod_of_job_changed(type, object);
  if (type == "DELETED")
    return;
  if (plural == rules_.plural())
    job_changed(object, type == "ADDED");
  else if (plural == "pods")
    pod_changed(object);
  else if (plural == "podgroups")
    pod_group_changed();
}

void replica_type_invariants::job_changed(const json& job, bool is_new) {
  auto& known = present_knowledge();
  if (is_new) {
    known.uids.insert(uid_of(job));
    restarts_.clear();
    replacements_counted_ = 0;
    biggest_ = 0;
    most_limit_ = 0;
    known.over = false;
    ledger_.begin();
    for (const auto& [key, pod] : api().all("pods"))
      pod_changed(pod); // Orphans that it may adopt.
  }
  known.suspended |= is_true(at(job, "status"), "Suspended");
  if (auto wrong =
          ledger_.job_changed(job, writing_process() != present_process());
      !wrong.empty())
    report_violation(wrong);
  for (auto& r : completed_replicas()) // As a former leader says.
    known.replicas.push_back(std::move(r));
  if (!is_new && !known.manifests.empty()
      && known.manifests.back().spec == at(job, "spec")
      && known.manifests.back().policies == policies_of(job))
    return;
  known.manifests.push_back(rules_.read(job));
  most_limit_ = std::max(most_limit_, known.manifests.back().limit.value_or(0));
}

void replica_type_invariants::pod_changed(const json& pod) {
  if (!ours(pod) && !adoptable(pod))
    return;
  auto r = read(pod);
  auto& known = present_knowledge();
  auto& most = restarts_[uid_of(pod)];
  most = std::max(most, restarts_of(pod, r));
  if (r.phase == "Running")
    known.ran[r.type].insert(name_of(pod));
  if (r.phase == "Pending" || r.phase == "Running")
    return;
  // A former leader may have known it while it ran, and its calls may be late.
  for (auto& [process, any] : known_)
    any.ended.insert(uid_of(pod));
  known.replicas.push_back(std::move(r));
}

void replica_type_invariants::child_orphaned(const json& object) {
  // Former leaders know it as the job's, too, and their calls may be late.
  for (auto& [process, known] : known_)
    known.orphaned.insert(uid_of(object));
  ledger_.pod_strayed(object);
}

int replica_type_invariants::restarts_of(const json& pod, const replica& r) {
  const auto& containers = at(pod, "status", "containerStatuses");
  int made = containers.is_array() && !containers.empty()
                 ? number(at(containers[0], "restartCount"))
                 : 0;
  return made + (r.phase == "Failed" && !r.deleting && !r.disrupted ? 1 : 0);
}

int replica_type_invariants::true_restarts() const {
  int sum = 0;
  for (const auto& [uid, n] : restarts_)
    sum += n;
  return sum;
}

void replica_type_invariants::operator_started() {
  auto& known = present_knowledge() = {};
  ledger_.operator_started(now());
  known.replicas = present_replicas();
  for (const auto& [key, pod] : api().all("pods")) {
    if (adoptable(pod))
      known.replicas.push_back(read(pod));
    if (ours(pod))
      known.ran[read(pod).type].insert(name_of(pod));
  }
  pod_group_changed();
  const auto* j = job();
  known.over = j && finished(*j);
  if (j) {
    known.uids.insert(uid_of(*j));
    known.manifests.push_back(rules_.read_at_start(*j));
    known.suspended = is_true(at(*j, "status"), "Suspended");
    for (auto& r : completed_replicas())
      known.replicas.push_back(std::move(r));
  }
}

// -- writes -------------------------------------------------------------------

void replica_type_invariants::check_any_write(const std::string& key) {
  if (!some([](const manifest& m) { return !m.foreign; }))
    report_violation("writes " + key
                     + " of a job that another controller manages");
}

void replica_type_invariants::check_creation(const std::string& plural,
                                             const std::string& key,
                                             const json& body) {
  if (writer().uids.count(text(at(owner_of(body), "uid"))) == 0)
    report_violation("makes " + key + " for a job that does not exist");
  if (plural == "podgroups")
    check_pod_group_creation(body);
  if (plural == "pods") {
    check_gang_of_pod(key, body);
    check_attempt_of_new_pod(key, body);
  }
  if (plural != "pods" && plural != "services")
    return;
  if (writer().over)
    report_violation("makes " + key
                     + ", but the job was finished before it started");
  if (plural == "services" && !rules_.row().pods.services)
    report_violation("makes the service " + key + ", which is not wanted");
  auto at_place = read(body);
  for (const auto& [other, o] : api().all(plural)) {
    auto there = read(o);
    if (ours(o) && there.type == at_place.type && there.index == at_place.index)
      report_violation("makes a second one of " + plural + " for " + key);
  }
  if (!some([&](const manifest& m) {
        return m.wants(at_place.type, at_place.index);
      }))
    report_violation("makes " + key + " of " + plural
                     + ", which is not wanted");
}

void replica_type_invariants::check_removal(const std::string& plural,
                                            const json& object,
                                            const json& body) {
  const auto& name = name_of(object);
  if (plural == "pods" && writing_process() == present_process())
    ledger_.pod_removed(object);
  if (!must_have_reason_to_remove(object, body, writer().uids,
                                  writer().orphaned))
    return;
  const auto* j = job();
  if (plural != "pods" && plural != "services")
    return;
  if (finished(*j) && may_clean_up(plural, object))
    return;
  auto r = read(object);
  if (plural == "pods" && ledger_.is_over(r) && !writer().over)
    return;
  bool unwanted = some([&](const manifest& m) {
    return !m.wants(r.type, r.index)
           || (writer().suspended && m.recovery.restarts_more_than_pods());
  });
  if (unwanted && !writer().over)
    return;
  if (plural == "pods" && !writer().over
      && some([&](const manifest& m) { return rules_.replaced(m, r); }))
    check_replacement(object, r);
  else
    report_violation("deletes without a reason " + plural + " " + name + ": "
                     + object.dump() + " of " + j->dump());
}

/// Counts its restarts against the limit. Before the last replacement,
/// whichever of them it was, the limit must not have been reached.
void replica_type_invariants::check_replacement(const json& pod,
                                                const replica& r) {
  check_delay(pod, r);
  if (some([](const manifest& m) { return !m.limit; }))
    return;
  int these = restarts_of(pod, r);
  replacements_counted_ += these;
  biggest_ = std::max(biggest_, these);
  if (r.disrupted || some([&](const manifest& m) {
        return rules_.on_failure(m, r) == verdict::replaced_uncounted;
      }))
    return; // No limit forbids that.
  // The limit may have been higher when a pod was replaced.
  if (replacements_counted_ - biggest_ >= most_limit_)
    report_violation("replaces " + name_of(pod) + ", in all "
                     + std::to_string(replacements_counted_) + " restarts of "
                     + std::to_string(most_limit_));
}

/// A pod that failed early, as others did before it, is not replaced at once.
void replica_type_invariants::check_delay(const json& pod, const replica& r) {
  const auto& note = text(at(pod, "metadata", "annotations",
                             "training.kubeflow.org/early-failures"));
  if (r.disrupted || note.empty() || at(pod, "status", "startTime").is_null())
    return;
  const auto& containers = at(pod, "status", "containerStatuses");
  auto begin = seconds_of(at(pod, "status", "startTime"));
  auto end =
      containers.is_array() && !containers.empty()
          ? seconds_of(at(containers[0], "state", "terminated", "finishedAt"))
          : begin;
  long long wait = 10;
  for (int i = std::stoi(note); i > 1 && wait < 300; --i)
    wait *= 2;
  wait = std::min(wait, 300LL);
  if (end - begin < 10 && now() < end + wait)
    report_violation(
        "replaces " + name_of(pod) + " " + std::to_string(now() - end)
        + " s after it failed early, " + note + " failed before it");
}

bool replica_type_invariants::may_clean_up(const std::string& plural,
                                           const json& object) const {
  return some([&](const manifest& m) {
    if (m.cleanup == "All")
      return true;
    if (m.cleanup != "Running")
      return false;
    auto phase = phase_of(object);
    return plural == "services" || phase == "Running" || phase == "Pending"
           || writer().ended.count(uid_of(object)) > 0;
  });
}

void replica_type_invariants::check_job_removal(const json& body) {
  const auto* j = job();
  if (text(at(body, "preconditions", "uid")).empty())
    report_violation("deletes its job without naming its UID");
  if (!j)
    return;
  if (!finished(*j)) {
    report_violation("deletes a job that is not finished");
    return;
  }
  auto end = seconds_of(at(*j, "status", "completionTime"));
  if (!some([&](const manifest& m) { return m.ttl && now() >= end + *m.ttl; }))
    report_violation("deletes its job before its TTL");
  auto m = rules_.read(*j);
  constexpr int grace = 120; // Seconds, for back-offs that began earlier.
  if (m.ttl && faults_stopped_at() > 0
      && end + *m.ttl > faults_stopped_at() + grace && now() > end + *m.ttl + 1)
    report_violation("deletes its job " + std::to_string(now() - end - *m.ttl)
                     + " s too late");
}

} // namespace troupe::simulation
