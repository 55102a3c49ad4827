// Attempts, and replicas that are done.
#include "tests/simulation/replica_types/replica_type_invariants.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

std::string variable(const json& pod, const char* name) {
  const auto& all = at(pod, "spec", "containers");
  if (all.is_array() && !all.empty())
    for (const auto& v : at(all[0], "env"))
      if (text(at(v, "name")) == name)
        return text(at(v, "value"));
  return {};
}

} // namespace

void replica_type_invariants::pod_of_job_changed(const std::string& type,
                                                 const json& pod) {
  auto r = read(pod);
  if (type == "DELETED")
    return ledger_.pod_gone(pod, r);
  if (type == "ADDED") {
    bool late = writing_process() != present_process();
    if (auto wrong = ledger_.pod_made(pod, late); !wrong.empty())
      report_violation(wrong);
  }
  if (r.phase == "Running" && began_to_run_.insert(uid_of(pod)).second)
    ledger_.sign_of_life(now());
  ledger_.pod_changed(pod, r);
}

void replica_type_invariants::check_attempt_of_new_pod(const std::string& key,
                                                       const json& body) {
  if (text(at(owner_of(body), "uid")) != job_uid() || !job())
    return;
  auto r = read(body);
  const auto& said = label(body, "restart-attempt");
  const auto& saved = ledger_.saved();
  if (said != variable(body, "TRAINING_RESTART_ATTEMPT"))
    report_violation("makes " + key + " with another attempt in its variable");
  if (r.attempt > saved.of(r.type))
    report_violation("makes " + key + " of attempt " + std::to_string(r.attempt)
                     + " before it is saved");
  auto tells = [](const manifest& m) {
    return m.recovery.restarts_more_than_pods();
  };
  auto silent = [&](const manifest& m) { return !tells(m); };
  if (said.empty() ? !some(silent) : saved.attempt == 0 && !some(tells))
    report_violation("makes " + key
                     + (said.empty() ? " without its attempt"
                                     : " with an attempt without a policy"));
  if (text(at(body, "spec", "restartPolicy")) != "Never"
      && !some(
          [](const manifest& m) { return !m.recovery.must_see_failures(); }))
    report_violation("makes " + key + ", whose failures nobody sees");
  if (writing_process() != present_process())
    return;
  if (auto wrong = ledger_.check_creation(r, now()); !wrong.empty())
    report_violation("makes " + key + ", " + wrong);
}

/// Where the definition drops fields of the status.
void replica_type_invariants::check_annotations(const json& body) {
  bool others = body.size() > 1;
  for (const auto& [field, value] : at(body, "metadata").items())
    others |=
        field != "uid" && field != "resourceVersion" && field != "annotations";
  for (const auto& [name, value] : at(body, "metadata", "annotations").items())
    others |= name != "training.kubeflow.org/recovery"
              && name != "training.kubeflow.org/restarts";
  if (others || !api().drops_recovery)
    report_violation("changes its job: " + body.dump());
  if (text(at(body, "metadata", "uid")) != job_uid())
    report_violation("changes its job without naming its UID");
}

void replica_type_invariants::check_removal_at_once(const json& pod) {
  const auto* j = job();
  if (!j || !ours(pod) || deleting(pod) || finished(*j))
    return;
  auto r = read(pod);
  bool may = some([&](const manifest& m) {
    return m.recovery.scope == "Pod" || !m.recovery.rules.empty()
           || !m.wants(r.type, r.index) || r.phase == "Failed";
  });
  if (!may && !ledger_.is_over(r) && !writer().suspended)
    report_violation("removes " + name_of(pod)
                     + " of a lost node before its restart is saved");
}

replica_list replica_type_invariants::completed_replicas() const {
  replica_list result;
  const auto* j = job();
  if (!j)
    return result;
  auto saved = read_attempts(*j);
  for (const auto& [type, indices] : saved.completed)
    for (int index : indices) {
      replica r;
      r.type = type;
      r.index = index;
      r.phase = "Succeeded";
      r.attempt = saved.of(type);
      result.push_back(std::move(r));
    }
  return result;
}

void replica_type_invariants::check_completed(const json& status) {
  auto next = read_attempts_of_status(status);
  const auto& known = writer().replicas;
  for (const auto& [type, indices] : next.completed)
    for (int index : indices)
      if (std::none_of(
              known.begin(), known.end(), [&, &type = type](const replica& r) {
                return r.phase == "Succeeded" && r.type == type
                       && r.index == index && r.attempt == next.of(type);
              }))
        report_violation("says that " + type + "-" + std::to_string(index)
                         + " is done, which has not succeeded");
}

int replica_type_invariants::completed_without_pod(
    const manifest& m, const std::string& type) const {
  auto all = present_replicas();
  int count = 0;
  for (const auto& r : completed_replicas())
    count += r.type == type && r.index < m.replicas(type)
             && !find(all, r.type, r.index);
  return count;
}

/// All pods are of one attempt, and no failure was left alone.
void replica_type_invariants::check_attempts_at_end(const manifest& m) {
  for (const auto& r : present_replicas()) {
    auto name = r.type + "-" + std::to_string(r.index);
    if (r.attempt != ledger_.saved().of(r.type))
      report_violation(name + " is of attempt " + std::to_string(r.attempt)
                       + ", not of "
                       + std::to_string(ledger_.saved().of(r.type)));
    if (rules_.on_failure(m, r) == verdict::restarts)
      report_violation(name + " has failed, and nothing is restarted");
  }
}

// -- silence ------------------------------------------------------------------

void replica_type_invariants::check_stall(const json& before,
                                          const json& status) {
  if (!is_true(status, "Stalled") || is_true(before, "Stalled"))
    return;
  for (const auto& c : at(status, "conditions"))
    if (text(at(c, "type")) == "Stalled")
      if (auto wrong =
              ledger_.check_silence(seconds_of(at(c, "lastTransitionTime")),
                                    writing_process() != present_process());
          !wrong.empty())
        report_violation(wrong);
}

/// Nobody reports any more: whoever runs is silent, and that was found.
void replica_type_invariants::check_silence_at_end(const manifest& m,
                                                   const json& status) {
  if (!m.recovery.least_silence)
    return;
  int running = 0;
  int there = 0;
  for (const auto& r : present_replicas()) {
    running += r.phase == "Running" && !r.deleting ? 1 : 0;
    there += (r.phase == "Running" || r.phase == "Succeeded") && !r.deleting;
  }
  for (const auto& [type, replica_spec] : m.replica_specs)
    there += completed_without_pod(m, type);
  if (running == 0 || there != m.all_replicas())
    return;
  if (m.recovery.on_stalled != "Report")
    report_violation("is silent, and nothing follows");
  else if (!is_true(status, "Stalled"))
    report_violation("is silent, and nobody is told");
}

} // namespace troupe::simulation
