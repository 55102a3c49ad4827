#include "frameworks/core/completion.hpp"

#include "frameworks/core/restarts.hpp"

namespace troupe::core {

namespace {

/// What became of the failed pods of one type.
struct failures {
  int replaced = 0;
  int leave = 0;
  int permanent = 0;
  int stay = 0;

  int all() const { return replaced + leave + permanent + stay; }
};

failures sort_failures(const replica_view& type) {
  failures result;
  for (const auto& place : type.places) {
    if (!place.pod || place.pod->phase != k8s::pod_phase::failed)
      continue;
    switch (judge(type.spec->restart, *place.pod)) {
    case verdict_on_failure::replaced:
      ++result.replaced;
      break;
    case verdict_on_failure::leaves:
      ++result.leave;
      break;
    case verdict_on_failure::permanent:
      ++result.permanent;
      break;
    case verdict_on_failure::stays:
      ++result.stay;
      break;
    }
  }
  return result;
}

bool first_is_done(const replica_view& type) {
  const auto* pod = type.places.front().pod;
  return pod && pod->phase == k8s::pod_phase::succeeded
         && pod->exit_code == std::int32_t{0};
}

bool is_done(const pass& p, const replica_view& type,
             const replica_status& counts) {
  if (counts.succeeded >= type.spec->replicas)
    return true;
  return type.rule->succeeds == success::first
         && p.j.success_policy != "AllWorkers" && first_is_done(type);
}

const replica_view* find(const survey& around, const replica_rule& rule) {
  for (const auto& type : around.types)
    if (type.rule == &rule && !type.places.empty())
      return &type;
  return nullptr;
}

void fail_for(pass& p, const replica_view& type, const failures& f) {
  auto own = fill(phrases_of(p.j).failed, p.j, f.all(), type.spec->type);
  if (f.permanent == 0) {
    p.fail(own);
    return;
  }
  if (p.fail("job \"" + p.j.name + "\" is failing because \"" + type.spec->type
                 + "\" replica(s) failed.",
             "Failed", true))
    p.tell(false, "Failed", own);
}

/// What the types say together.
struct findings {
  bool running = false;
  bool restarting = false;
  std::string restarting_type; ///< The first.
};

/// Returns whether the job has ended.
bool evaluate_type(pass& p, const replica_view& type, findings& found) {
  const auto& counts = p.status().replicas[type.spec->type];
  if (leads(p.j, *type.rule)) {
    if (is_done(p, type, counts))
      return p.succeed(fill(phrases_of(p.j).succeeded, p.j));
    found.running |= counts.active > 0;
  }
  auto f = sort_failures(type);
  bool elastic = type.rule->elastic && p.j.dynamic_workers;
  if (f.permanent + f.stay > 0 && !elastic) {
    fail_for(p, type, f);
    return true;
  }
  if (f.replaced > 0 && !found.restarting) {
    found.restarting = true;
    found.restarting_type = type.spec->type;
  }
  // Still the same restart, though its pod is going by now.
  if (f.leave > 0 && p.status().is(condition_type::restarting))
    found.restarting = true;
  return false;
}

} // namespace

void evaluate(pass& p) {
  findings found;
  for (const auto& rule : p.j.kind->replicas)
    if (const auto* type = find(p.around, rule);
        type && evaluate_type(p, *type, found))
      return;
  if (!found.restarting_type.empty()) {
    auto message = "job " + p.j.name + " is restarting because "
                   + found.restarting_type + " replica(s) failed.";
    if (p.set(condition_type::restarting, true, "Restarting", message))
      p.tell(true, "Restarting", message);
  } else if (found.running && !found.restarting) {
    p.set(condition_type::running, true, "Running",
          fill(phrases_of(p.j).running, p.j));
  }
}

} // namespace troupe::core
