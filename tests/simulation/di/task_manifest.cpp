#include "tests/simulation/di/task_manifest.hpp"

#include <map>

namespace troupe::simulation {

task_manifest read_task_manifest(const json& spec) {
  task_manifest m;
  m.spec = spec;
  std::map<std::string, int> types;
  std::map<std::string, int> names;
  for (const auto& t : at(spec, "tasks")) {
    auto type = text(at(t, "type"));
    if (type.empty())
      type = "none";
    auto name = text(at(t, "name"));
    if (name.empty() && type != "none")
      name = type;
    m.tasks.push_back({name, number(at(t, "replicas"), 1)});
    const auto& containers = at(t, "template", "spec", "containers");
    m.invalid |= name.empty() || ++names[name] > 1
                 || (++types[type] > 1 && type != "none")
                 || !containers.is_array() || containers.empty();
  }
  m.policy = clean_pod_policy_of(spec);
  if (const auto& limit = at(spec, "backoffLimit"); limit.is_number_integer())
    m.limit = limit.get<int>();
  m.preemptible = at(spec, "preemptible") == true;
  return m;
}

int task_manifest::all_replicas() const {
  int sum = 0;
  for (const auto& t : tasks)
    sum += t.replicas;
  return sum;
}

int task_manifest::rank_of(const std::string& name, int index) const {
  int before = 0;
  for (const auto& t : tasks) {
    if (t.name == name)
      return index >= 0 && index < t.replicas ? before + index : -1;
    before += t.replicas;
  }
  return -1;
}

bool task_manifest::wants(const std::string& name, int index) const {
  return !invalid && rank_of(name, index) >= 0;
}

pod_end task_manifest::end_of(const json& pod) const {
  const auto& phase = phase_of(pod);
  if (deleting(pod) || (phase != "Failed" && phase != "Unknown"))
    return pod_end::none;
  const auto& reason = text(at(pod, "status", "reason"));
  bool refused =
      reason == "UnexpectedAdmissionError" || reason.rfind("OutOf", 0) == 0;
  bool preempted = preemptible && exit_code_of(pod) == 143;
  return phase == "Failed" && (refused || preempted) ? pod_end::lost
                                                     : pod_end::failed;
}

int index_of_pod(const json& pod) {
  const auto& name = name_of(pod);
  return std::stoi(name.substr(name.rfind('-') + 1));
}

bool is_ready(const json& pod) {
  for (const auto& c : at(pod, "status", "conditions"))
    if (text(at(c, "type")) == "ContainersReady")
      return text(at(c, "status")) == "True";
  return false;
}

} // namespace troupe::simulation
