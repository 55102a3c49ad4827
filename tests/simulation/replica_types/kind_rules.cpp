#include "tests/simulation/replica_types/kind_rules.hpp"

#include "tests/simulation/random.hpp"
#include "tests/simulation/replica_types/kind_rows.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace troupe::simulation {

const replica* find(const replica_list& all, const std::string& type,
                    int index) {
  for (const auto& r : all)
    if (r.type == type && r.index == index)
      return &r;
  return nullptr;
}

namespace {

/// Every replica of the type has succeeded, and there is one.
bool all_succeeded(const manifest& m, const replica_list& all,
                   const std::string& type) {
  int n = m.replicas(type);
  for (int i = 0; i < n; ++i)
    if (const auto* r = find(all, type, i); !r || r->phase != "Succeeded")
      return false;
  return n > 0;
}

const type_row* find_rule_by_type(const kind_row& w, const std::string& type) {
  for (const auto& t : w.types)
    if (lower(t.type) == lower(type))
      return &t;
  return nullptr;
}

json replica_of(const core::framework& row, int replicas) {
  return {{"replicas", replicas},
          {"template",
           {{"spec",
             {{"containers",
               {{{"name", row.pods.container}, {"image", "image"}}}}}}}}};
}

json random_scheduling_policy(std::mt19937_64& random) {
  json policy = json::object();
  if (chance(random, 50))
    policy["minAvailable"] = 1 + up_to(random, 2);
  if (chance(random, 30))
    policy["queue"] = "queue";
  if (chance(random, 30))
    policy["priorityClass"] = "high";
  if (chance(random, 30))
    policy["minResources"] = {{"memory", "1Gi"}};
  if (chance(random, 30))
    policy["scheduleTimeoutSeconds"] = 60;
  return policy;
}

bool has_success_policy(const json& job) {
  return !at(job, "spec", "runPolicy", "successPolicy").is_null()
         || !policies_of(job)[1].is_null();
}

std::optional<int> maybe(const json& j) {
  return j.is_number_integer() ? std::optional{j.get<int>()} : std::nullopt;
}

} // namespace

int manifest::all_replicas() const {
  int sum = 0;
  for (const auto& [type, r] : replica_specs)
    sum += r.replicas;
  return sum;
}

kind_rules::kind_rules(const core::framework& row, core::gang gang)
    : row_(row)
    , gang_(gang)
    , entry_(find_kind_row(row.names.type.kind)) {
  if (!entry_)
    throw std::logic_error(
        row.names.type.kind
        + " is not in tests/simulation/replica_types/kind_rows.cpp: say "
          "there which types it has and what ends it");
}

manifest kind_rules::read(const json& job) const {
  const auto& spec = at(job, "spec");
  manifest m;
  m.spec = spec;
  m.policies = policies_of(job);
  m.recovery = read_recovery_policy(job);
  m.wrong_policy = m.recovery.twice
                   || ((m.recovery.has_own_success || has_success_policy(job))
                       && !text(at(spec, "successPolicy")).empty());
  m.invalid = m.wrong_policy;
  for (const auto& [type, r] : at(spec, row_.names.spec_field).items()) {
    replica_spec p;
    bool spare = row_.names.type.kind == "MPIJob" && type == "Worker";
    p.replicas = number(at(r, "replicas"), spare ? 0 : 1);
    p.policy = text(at(r, "restartPolicy"));
    if (p.policy.empty())
      p.policy = entry_->default_policy;
    m.invalid |= p.replicas < 0;
    m.wrong_policy &= p.replicas >= 0;
    const auto& containers = at(r, "template", "spec", "containers");
    m.requests_cpus |=
        containers.is_array() && containers[0].contains("resources");
    m.replica_specs[lower(type)] = std::move(p);
  }
  const auto& policy = at(spec, "runPolicy");
  m.suspended = at(policy, "suspend") == true;
  m.foreign = text(at(policy, "managedBy")) == "kueue.x-k8s.io/multikueue";
  if (const auto& c = text(at(policy, "cleanPodPolicy")); !c.empty())
    m.cleanup = c;
  m.limit = maybe(at(policy, "backoffLimit"));
  m.deadline = maybe(at(policy, "activeDeadlineSeconds"));
  m.ttl = maybe(at(policy, "ttlSecondsAfterFinished"));
  m.min_available = maybe(at(policy, "schedulingPolicy", "minAvailable"));
  return m;
}

manifest kind_rules::read_at_start(const json& job) const {
  auto m = read(job);
  // One that has begun goes on, also where its policy became wrong before.
  if (m.wrong_policy && !at(job, "status", "startTime").is_null())
    m.invalid = false;
  return m;
}

std::vector<std::string> kind_rules::leaders(const manifest& m) const {
  return entry_->leaders(m);
}

bool kind_rules::succeeded(const manifest& m, const replica_list& all) const {
  if (m.recovery.has_own_success)
    return succeeded_by_policy(m, all);
  for (const auto& type : leaders(m))
    if (all_succeeded(m, all, type))
      return true;
  return entry_->early_success && entry_->early_success(m, all);
}

bool kind_rules::succeeded_by_policy(const manifest& m,
                                     const replica_list& all) const {
  const auto& p = m.recovery;
  auto types = p.success_types;
  if (types.empty())
    for (const auto& type : leaders(m))
      types.insert(type);
  if (p.any_succeeds)
    return std::any_of(all.begin(), all.end(), [&](const replica& r) {
      return r.phase == "Succeeded" && types.count(r.type) > 0
             && r.index < m.replicas(r.type);
    });
  bool any = false;
  for (const auto& type : types) {
    if (m.replicas(type) == 0)
      continue;
    any = true;
    if (!all_succeeded(m, all, type))
      return false;
  }
  return any;
}

bool kind_rules::fatal(const manifest& m, const replica& r) const {
  auto v = on_failure(m, r);
  return v == verdict::fails_job || v == verdict::fails_job_by_rule;
}

bool kind_rules::replaced(const manifest& m, const replica& r) const {
  auto v = on_failure(m, r);
  return v == verdict::replaced || v == verdict::replaced_uncounted;
}

verdict kind_rules::on_failure(const manifest& m, const replica& r) const {
  return r.deleting ? verdict::none : on_earlier_failure(m, r);
}

verdict kind_rules::on_earlier_failure(const manifest& m,
                                       const replica& r) const {
  const auto* p = m.find(r.type);
  if (r.phase != "Failed" || !p || r.index >= p->replicas)
    return verdict::none;
  if (r.status)
    if (const auto* rule = m.recovery.find_rule(r.type, *r.status))
      return rule->action == "FailJob"      ? verdict::fails_job_by_rule
             : rule->action == "Ignore"     ? verdict::replaced_uncounted
             : rule->action == "RestartPod" ? verdict::replaced
                                            : verdict::restarts;
  bool may_fail =
      r.type == "worker" && at(m.spec, "enableDynamicWorker") == true;
  bool permanent = p->policy == "ExitCode" && !r.disrupted
                   && r.exit_code.value_or(128) < 128;
  if (permanent)
    return may_fail ? verdict::none : verdict::fails_job;
  if (m.recovery.scope != "Pod")
    return verdict::restarts;
  if (r.disrupted)
    return verdict::replaced_uncounted;
  if (p->policy == "ExitCode"
      || (entry_->restarts_failed
          && (p->policy == "OnFailure" || p->policy == "Always")))
    return verdict::replaced;
  return may_fail ? verdict::none : verdict::fails_job;
}

json kind_rules::random_manifest(std::mt19937_64& random) const {
  json types = json::object();
  bool led = false;
  const char* const policies[] = {"Never", "OnFailure", "Always", "ExitCode"};
  for (const auto& w : entry_->types) {
    const auto* rule = row_.find_rule_by_type(w.type);
    if (!rule || !chance(random, w.percent)
        || (row_.accepted.allows_one_chief_only
            && rule->chief == core::chief_rule::if_present
            && std::exchange(led, true)))
      continue;
    auto r = replica_of(row_, random_replica_count(w.type, random));
    if (chance(random, 85))
      r["restartPolicy"] = policies[random() % 4];
    if (chance(random, 2))
      r["replicas"] = -1;
    types[w.type] = std::move(r);
  }
  if (types.empty())
    types[entry_->types.back().type] = replica_of(row_, 1);
  const char* const cleanups[] = {"None", "Running", "All"};
  json policy{{"cleanPodPolicy", cleanups[random() % 3]}};
  if (chance(random, 30))
    policy["backoffLimit"] = up_to(random, 3);
  if (chance(random, 20))
    policy["activeDeadlineSeconds"] =
        1 + up_to(random, chance(random, 50) ? 60 : 600);
  if (chance(random, 20))
    policy["ttlSecondsAfterFinished"] =
        up_to(random, chance(random, 50) ? 30 : 600);
  if (chance(random, 10))
    policy["suspend"] = true;
  if (chance(random, 4))
    policy["managedBy"] = chance(random, 50) ? "kubeflow.org/training-operator"
                                             : "kueue.x-k8s.io/multikueue";
  if (gang_ != core::gang::none && chance(random, 50))
    policy["schedulingPolicy"] = random_scheduling_policy(random);
  if (chance(random, 30))
    for (auto& r : types)
      r["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] =
          std::to_string(cpus_of_replica);
  json spec{{row_.names.spec_field, types}, {"runPolicy", policy}};
  if (entry_->random_fields)
    entry_->random_fields(spec, random);
  return spec;
}

int kind_rules::random_replica_count(const std::string& type,
                                     std::mt19937_64& random) const {
  const auto* w = find_rule_by_type(*entry_, type);
  int least = w ? w->least : 0;
  int most = w ? w->most : 1;
  // None at all is valid, but tests little.
  if (least == 0 && most > 0 && chance(random, 90))
    least = 1;
  return least + up_to(random, most - least);
}

} // namespace troupe::simulation
