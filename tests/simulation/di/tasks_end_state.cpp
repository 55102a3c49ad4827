// What is left of a DIJob of tasks when nothing happens any more.
#include "tests/simulation/di/tasks_invariants.hpp"

namespace troupe::simulation {

void tasks_invariants::check_end_state() {
  const auto* j = job();
  if (!j)
    return;
  auto m = read_task_manifest(at(*j, "spec"));
  if (finished(*j))
    check_finished_at_end(m, *j);
  else if (m.invalid)
    report_violation("an invalid job is not failed");
  else
    check_unfinished_at_end(m, *j);
}

void tasks_invariants::check_finished_at_end(const task_manifest& m,
                                             const json& job) {
  for (const auto& [key, service] : api().all("services"))
    if (ours(service))
      report_violation("the service " + key + " of a finished job is left");
  for (const auto& [key, pod] : api().all("pods")) {
    const auto& phase = phase_of(pod);
    bool goes_on = phase == "Running" || phase == "Pending";
    if (ours(pod) && (m.policy == "All" || (m.policy == "Running" && goes_on)))
      report_violation(key + " of a finished job is left under " + m.policy);
  }
  const auto& status = at(job, "status");
  if (number(at(status, "readyReplicas")) != 0
      || !at(status, "taskStatus").is_null())
    report_violation("is over, and counts pods: " + status.dump());
}

void tasks_invariants::check_unfinished_at_end(const task_manifest& m,
                                               const json& job) {
  std::map<std::string, int> found;
  int succeeded = 0;
  int ready = 0;
  for (const auto& [key, pod] : api().all("pods")) {
    if (!ours(pod))
      continue;
    ++found[task_of(pod)];
    if (!m.wants(task_of(pod), index_of_pod(pod)))
      report_violation(key + " is not wanted");
    if (m.end_of(pod) != pod_end::none)
      report_violation(key + " is not replaced");
    succeeded += phase_of(pod) == "Succeeded";
    ready += is_ready(pod) && !deleting(pod);
  }
  for (const auto& task : m.tasks)
    if (found[task.name] != task.replicas)
      report_violation("has " + std::to_string(found[task.name]) + " pods of "
                       + task.name + " instead of "
                       + std::to_string(task.replicas));
  int services = 0;
  for (const auto& [key, service] : api().all("services"))
    services += ours(service) && key == "ns/di-job";
  if (services != 1)
    report_violation("has not its service");
  const auto& phase = text(at(job, "status", "phase"));
  int all = m.all_replicas();
  // Without replicas nothing leaves the phase in which they went.
  bool right = all == 0       ? phase == "Pending" || phase == "Running"
               : ready == all ? phase == "Running"
                              : phase == "Starting" || phase == "Running";
  if (!right || (all > 0 && succeeded == all))
    report_violation("is " + phase + ", with " + std::to_string(ready)
                     + " pods ready and " + std::to_string(succeeded)
                     + " succeeded");
  check_counts_at_end(m, job);
}

void tasks_invariants::check_counts_at_end(const task_manifest& m,
                                           const json& job) {
  json counts;
  int ready = 0;
  for (const auto& [key, pod] : api().all("pods")) {
    if (!ours(pod))
      continue;
    auto& count = counts[task_of(pod)][phase_of(pod)];
    count = number(count) + 1;
    ready += is_ready(pod);
  }
  const auto& status = at(job, "status");
  if (number(at(status, "replicas")) != m.all_replicas()
      || number(at(status, "readyReplicas")) != ready
      || at(status, "taskStatus") != counts)
    report_violation("counts otherwise than " + counts.dump() + ", "
                     + std::to_string(ready) + " ready: " + status.dump());
}

/// The addresses of all pods, by rank.
void tasks_invariants::check_last_list(const core::job_response& r) {
  if (r.status != (job() ? 200 : 404))
    return report_violation("answers " + std::to_string(r.status)
                            + " to the last list: " + r.message);
  if (!job())
    return;
  auto m = read_task_manifest(at(*job(), "spec"));
  auto expected = json::array();
  bool any = false;
  for (const auto& task : m.tasks)
    for (int i = 0; i < task.replicas; ++i) {
      const auto* pod =
          api().find("pods", "ns/job-" + task.name + "-" + std::to_string(i));
      const auto& ip =
          pod && ours(*pod) ? text(at(*pod, "status", "podIP")) : text(json{});
      any |= !ip.empty();
      expected.push_back(ip.empty() ? "" : ip + ":22270");
    }
  if (json::parse(r.data) != (any ? expected : json{}))
    report_violation("the last list is not " + expected.dump() + ": " + r.data);
}

} // namespace troupe::simulation
