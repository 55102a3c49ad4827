#include "frameworks/di/tasks/tasks_status.hpp"

#include "frameworks/core/model/status_parts.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <algorithm>

namespace troupe::frameworks::di::tasks {

using namespace core;

namespace {

using counts_by_phase = std::map<std::string, std::int32_t>;

std::int32_t count_in_phase(const counts_by_phase& counts,
                            k8s::pod_phase phase) {
  auto i = counts.find(k8s::to_string(phase));
  return i == counts.end() ? 0 : i->second;
}

/// The counts that all kinds have follow from those of the phases.
void set_replica_counts_from_phase_counts(job_status& s) {
  s.replicas.clear();
  for (const auto& [task, counts] : s.tasks.pods)
    s.replicas[task] = {count_in_phase(counts, k8s::pod_phase::running),
                        count_in_phase(counts, k8s::pod_phase::succeeded),
                        count_in_phase(counts, k8s::pod_phase::failed),
                        {}};
}

/// A job that finished under another operator may have no condition.
void add_missing_end_condition(job_status& s) {
  for (const char* end : {phase::succeeded, phase::failed})
    if (s.phase == end && !s.is_condition_true(end)) {
      auto when = s.completion_time.value_or(time_point{});
      s.conditions.push_back(
          {end, true, std::string{"Job"} + end, "", when, when});
    }
}

std::string encode_tasks_status(const job_status& s) {
  json out{{"replicas", s.tasks.replicas},
           {"readyReplicas", s.tasks.ready},
           {"restarts", s.tasks.restarts},
           {"reschedules", s.tasks.reschedules}};
  if (!s.phase.empty())
    out["phase"] = s.phase;
  if (!s.conditions.empty())
    out["conditions"] = conditions_json(s.conditions);
  if (!s.tasks.pods.empty())
    out["taskStatus"] = s.tasks.pods;
  if (s.completion_time)
    out["completionTimestamp"] = k8s::to_rfc3339(*s.completion_time);
  return to_text(out);
}

std::int32_t count_at(const json& status, const char* field) {
  return std::max(int32_at(status, {field}).value_or(0), 0);
}

/// There are five; the status is everybody's.
constexpr std::size_t most_phases = 20;

counts_by_phase read_phase_counts(const json& task) {
  counts_by_phase result;
  if (task.is_object())
    for (const auto& [phase, count] : task.items())
      if (result.size() < most_phases)
        result[phase] = int32_at(count, {}).value_or(0);
  return result;
}

job_status decode_tasks_status(std::string_view text) {
  job_status s;
  const auto j = parse_json_or_null(text);
  s.phase = text_at(j, {"phase"});
  s.conditions = read_conditions_up_to_limit(array_at(j, {"conditions"}));
  s.completion_time = read_time(value_at(j, {"completionTimestamp"}));
  s.tasks.replicas = count_at(j, "replicas");
  s.tasks.ready = count_at(j, "readyReplicas");
  s.tasks.restarts = count_at(j, "restarts");
  s.tasks.reschedules = count_at(j, "reschedules");
  if (const auto& tasks = value_at(j, {"taskStatus"}); tasks.is_object())
    for (const auto& [task, counts] : tasks.items())
      if (s.tasks.pods.size() < max_status_types)
        s.tasks.pods[task] = read_phase_counts(counts);
  set_replica_counts_from_phase_counts(s);
  add_missing_end_condition(s);
  return s;
}

} // namespace

core::status_format status_format() {
  return {encode_tasks_status, decode_tasks_status};
}

bool set_phase_and_condition(job_status& s, const char* phase,
                             std::string message, time_point now) {
  now = truncate_to_seconds(now);
  if (s.phase == phase && s.is_condition_true(phase))
    return false;
  auto& all = s.conditions;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const auto& c) { return c.type == phase; }),
            all.end());
  for (auto& c : all)
    if (c.status) {
      c.status = false;
      c.updated = c.last_transition_time = now;
    }
  all.push_back(
      {phase, true, std::string{"Job"} + phase, std::move(message), now, now});
  s.phase = phase;
  return true;
}

void update_pod_counts(job_status& s, const job& j,
                       const observed_children& seen) {
  s.tasks.replicas = j.total_replicas();
  s.tasks.ready = 0;
  s.tasks.pods.clear();
  for (const auto& pod : seen.pods()) {
    if (!pod.owned || !pod.labels_match_job)
      continue;
    ++s.tasks.pods[pod.at.type][k8s::to_string(pod.phase)];
    if (pod.ready && !pod.terminating)
      ++s.tasks.ready;
  }
  set_replica_counts_from_phase_counts(s);
}

void reset_pod_counts(job_status& s) {
  s.tasks.ready = 0;
  s.tasks.pods.clear();
  s.replicas.clear();
}

} // namespace troupe::frameworks::di::tasks
