// What gang schedulers and autoscalers do.
#include "tests/simulation/random.hpp"
#include "tests/simulation/replica_types/replica_type_cluster.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

constexpr const char* groups = "podgroups";
constexpr const char* autoscalers = "horizontalpodautoscalers";

/// As Volcano writes while a group does not fit into the cluster.
json unschedulable_condition() {
  return {{"type", "Unschedulable"},
          {"status", "True"},
          {"reason", "NotEnoughResources"},
          {"message", "1/1 tasks in gang unschedulable"}};
}

} // namespace

/// Volcano: a new group is pending, then admitted, then runs; if its pods are
/// lost, it is pending again. Scheduler-plugins write a status that nobody
/// waits for.
void replica_type_cluster::schedule_gang() {
  const auto* group = api().find(groups, job_key());
  if (!group)
    return;
  const auto& phase = phase_of(*group);
  const char* next = "Pending";
  if (phase == "Inqueue")
    next = "Running";
  else if (phase == "Pending" || phase == "Unknown")
    next = chance(60) ? "Inqueue" : "Pending";
  else if (phase == "Running")
    next = chance(30) ? "Pending" : chance(20) ? "Unknown" : "Running";
  bool unschedulable = chance(20);
  api().change(groups, job_key(), [&](json& g) {
    g["status"] = {{"phase", next},
                   {"running", static_cast<int>(random()() % 3)}};
    if (unschedulable)
      g["status"]["conditions"] = json::array({unschedulable_condition()});
  });
}

/// Late, but unless its queue is closed each group is admitted.
void replica_type_cluster::admit_gang() {
  const auto* group = api().find(groups, job_key());
  if (!group || queue_closed_ || is_admitted(*group))
    return;
  api().change(groups, job_key(),
               [](json& g) { g["status"]["phase"] = "Inqueue"; });
}

bool replica_type_cluster::waits_for_ever() const {
  const auto* group = api().find(groups, job_key());
  return queue_closed_ && group && !is_admitted(*group);
}

/// Changes the number of workers as the scale subresource does, within the
/// bounds that the autoscaler has now.
void replica_type_cluster::autoscale() {
  const auto* autoscaler = api().find(autoscalers, job_key());
  const auto* j = job();
  if (!autoscaler || !j || text(at(owner_of(*autoscaler), "uid")) != uid_of(*j))
    return;
  const auto& spec = at(*autoscaler, "spec");
  int least = number(at(spec, "minReplicas"), 1);
  int most = std::max(number(at(spec, "maxReplicas")), least);
  int workers = least + up_to(random(), most - least);
  edit_job([&](json& s) {
    auto& types = s[rules_.row().names.spec_field];
    if (auto i = types.find("Worker"); i != types.end())
      (*i)["replicas"] = workers;
  });
}

} // namespace troupe::simulation
