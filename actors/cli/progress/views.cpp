#include "actors/cli/progress/views.hpp"

#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/progress/progress_policy.hpp"
#include "frameworks/core/recovery/course.hpp"
#include "frameworks/core/spec/written_policies.hpp"
#include "frameworks/registry.hpp"
#include "k8s/json.hpp"
#include "k8s/node/base/start_error.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::cli {

using k8s::array_at;
using k8s::find_value;
using k8s::number_at;
using k8s::text_at;
using nlohmann::json;

namespace {

std::optional<k8s::time_point> time_at(const json& j, k8s::key_path path) {
  return k8s::from_rfc3339(text_at(j, path));
}

bool is_permanent_start_error(const std::string& reason) {
  const auto& all = k8s::node::final_start_errors;
  return std::find(std::begin(all), std::end(all), reason) != std::end(all);
}

/// What the status of the container that counts adds.
void apply_container_status(replica_view& v, const json& c) {
  v.restarts = number_at(c, {"restartCount"});
  for (auto state : {"lastState", "state"})
    if (const auto* t = find_value(c, {state, "terminated"})) {
      v.exit_code = number_at(*t, {"exitCode"});
      v.reason = text_at(*t, {"reason"});
      v.message = text_at(*t, {"message"});
      if (is_permanent_start_error(v.reason))
        v.start_error = v.message;
    }
  v.started = time_at(c, {"state", "running", "startedAt"});
  if (!v.started)
    v.started = time_at(c, {"state", "terminated", "startedAt"});
  v.ended = time_at(c, {"state", "terminated", "finishedAt"});
  if (find_value(c, {"state", "running"}))
    v.start_error.clear();
  auto waiting = text_at(c, {"state", "waiting", "reason"});
  if (!waiting.empty() && waiting != "ContainerCreating"
      && waiting != "PodInitializing") {
    v.reason = waiting;
    v.message = text_at(c, {"state", "waiting", "message"});
  }
  // The kubelet starts a log with each life.
  bool lives = find_value(c, {"state", "running"})
               || find_value(c, {"state", "terminated"});
  if (lives)
    v.log_of = v.uid + "/" + std::to_string(v.restarts);
  // A clean end needs no message.
  if (v.exit_code == 0 && v.reason == "Completed")
    v.reason.clear();
}

std::string shown_phase_of_terminating_pod(const replica_view& v) {
  if (v.phase == "Succeeded")
    return v.phase;
  if (v.phase != "Failed")
    return "Ending";
  // 128 and the signal by which a kubelet ends it: SIGTERM, SIGKILL.
  auto code = v.exit_code.value_or(0);
  bool was_ended =
      (code == 143 || code == 137) && (v.reason.empty() || v.reason == "Error");
  return was_ended ? "Stopped" : v.phase;
}

/// A policy of the job, which may be in an annotation.
json find_policy(const json& job, const char* field, const char* label,
                 const std::optional<std::string>& annotation) {
  core::field_errors ignored; // The operator tells them.
  return core::find_written_policy(k8s::value_at(job, {"spec"}),
                                   {field, label, annotation}, ignored);
}

/// As the operator counts them: without maxRestarts, backoffLimit holds, also
/// for pods that are restarted alone.
void apply_budget(attempt_view& v, const json& job, const json& counts) {
  auto annotations = core::policy_annotations_of(
      k8s::value_at(job, {"metadata", "annotations"}));
  const auto policy = find_policy(
      job, "failurePolicy", core::label::failure_policy, annotations.failure);
  for (const auto& record : array_at(job, {"status", "restarts"}))
    v.of_pods += number_at(record, {"count"});
  v.counted = number_at(counts, {"countedRestarts"});
  v.most = k8s::int64_at(policy, {"maxRestarts"});
  if (policy.is_null()
      && text_at(find_policy(job, "progress", core::label::progress,
                             annotations.progress),
                 {"onStalled"})
             == core::to_string(core::stall_action::restart_job))
    v.most = core::most_restarts_after_stalls;
  if (!v.most) {
    v.most = k8s::int64_at(job, {"spec", "runPolicy", "backoffLimit"});
    v.most_of_pods = v.most.has_value();
    v.counted += v.most_of_pods ? v.of_pods : 0;
    return;
  }
  v.window = text_at(policy, {"restartWindow"});
  // Those outside of the window were dropped when the last one was added.
  if (!v.window.empty())
    v.counted =
        static_cast<std::int64_t>(array_at(counts, {"restartTimes"}).size());
}

/// How long the operator waits with this attempt.
std::chrono::seconds pause_before(const attempt_view& v, const json& last) {
  constexpr std::int64_t most = 1'000; // The pause has a limit before that.
  core::recovery_status r;
  r.attempt = v.attempt > 0 ? 1 : 0;
  r.last.time = v.began.value_or(k8s::time_point{});
  r.last.early_ends = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(number_at(last, {"earlyEnds"}), 0, most));
  auto start = core::delayed_start_of_attempt(r);
  return start ? std::chrono::duration_cast<std::chrono::seconds>(*start
                                                                  - r.last.time)
               : std::chrono::seconds{0};
}

/// Where the definition has no such fields, an annotation has them.
attempt_view parse_attempt_view(const json& job) {
  const auto* in = &k8s::value_at(job, {"status"});
  json kept;
  if (!find_value(*in, {"restartAttempt"})) {
    auto text =
        text_at(job, {"metadata", "annotations", core::label::recovery});
    kept = json::parse(text, nullptr, false);
    in = &kept;
  }
  attempt_view v;
  v.attempt = number_at(*in, {"restartAttempt"});
  v.types = text_at(*in, {"lastRestart", "type"});
  apply_budget(v, job, *in);
  v.began = time_at(*in, {"lastRestart", "time"});
  v.recovered = time_at(*in, {"lastRestart", "recoveryTime"});
  v.pause = pause_before(v, k8s::value_at(*in, {"lastRestart"}));
  return v;
}

training_view parse_training_view(const json& job) {
  training_view v;
  const auto& in = k8s::value_at(job, {"status", "progress"});
  v.percent = k8s::int64_at(in, {"percent"});
  v.remaining_seconds = k8s::int64_at(in, {"estimatedRemainingSeconds"});
  for (const auto& m : array_at(in, {"metrics"}))
    v.metrics.emplace_back(text_at(m, {"name"}), text_at(m, {"value"}));
  v.time = text_at(in, {"time"});
  v.source = text_at(in, {"source"});
  return v;
}

/// A kind whose pods have these labels.
const core::framework& kind_of_pod_or_first(const json& pod) {
  for (const auto& f : frameworks::all())
    if (find_value(pod, {"metadata", "labels", f.names.labels.replica_type}))
      return f;
  return frameworks::all().front();
}

} // namespace

replica_view parse_replica_view(const json& pod) {
  replica_view v;
  v.pod = text_at(pod, {"metadata", "name"});
  v.uid = text_at(pod, {"metadata", "uid"});
  const auto& kind = kind_of_pod_or_first(pod);
  v.type = text_at(pod, {"metadata", "labels", kind.names.labels.replica_type});
  v.attempt =
      text_at(pod, {"metadata", "labels", core::label::restart_attempt});
  auto index =
      text_at(pod, {"metadata", "labels", kind.names.labels.replica_index});
  v.index = std::atoll(index.c_str());
  if (*kind.names.labels.replica_index == '\0' && !kind.names.random_names) {
    v.index = core::index_from_numbered_name(v.pod);
    index = v.index < 0 ? "" : std::to_string(v.index);
  } else if (kind.names.random_names
             && kind.is_indexed_or_unknown_type(v.type)) {
    v.index = core::index_from_random_name(v.pod);
    index = v.index < 0 ? "" : v.pod.substr(v.pod.rfind('-') + 1);
  }
  v.slot = v.type.empty()  ? v.pod
           : index.empty() ? v.type
                           : v.type + "-" + index;
  v.phase = text_at(pod, {"status", "phase"});
  if (v.phase.empty())
    v.phase = "Pending";
  // Statuses are sorted by name, so the first of the spec has to be looked for.
  if (const auto& all = array_at(pod, {"spec", "containers"}); !all.empty())
    v.container = text_at(all[0], {"name"});
  for (const auto& c : array_at(pod, {"status", "containerStatuses"}))
    if (text_at(c, {"name"}) == v.container)
      apply_container_status(v, c);
  if (auto why = text_at(pod, {"status", "reason"}); !why.empty()) {
    v.reason = why;
    v.message = text_at(pod, {"status", "message"});
    if (is_permanent_start_error(why))
      v.start_error = v.message;
  }
  if (v.phase == "Pending" && v.reason.empty())
    for (const auto& c : array_at(pod, {"status", "conditions"}))
      if (text_at(c, {"type"}) == "PodScheduled"
          && text_at(c, {"status"}) == "False") {
        v.reason = text_at(c, {"reason"});
        v.message = text_at(c, {"message"});
        if (is_permanent_start_error(v.reason))
          v.start_error = v.message;
      }
  if (!text_at(pod, {"metadata", "deletionTimestamp"}).empty())
    v.phase = shown_phase_of_terminating_pod(v);
  return v;
}

void drop_unread_pod_fields(json& pod) {
  if (!pod.is_object())
    return;
  json first = json::object();
  if (const auto& all = array_at(pod, {"spec", "containers"}); !all.empty())
    first["name"] = text_at(all[0], {"name"});
  pod["spec"] = {{"containers", json::array({std::move(first)})}};
  if (auto metadata = pod.find("metadata");
      metadata != pod.end() && metadata->is_object())
    metadata->erase("managedFields");
}

std::string describe_training(const training_view& v) {
  std::vector<std::string> parts;
  if (v.percent)
    parts.push_back(std::to_string(*v.percent) + "%");
  if (v.remaining_seconds && *v.remaining_seconds > 0)
    parts.push_back(
        k8s::human_duration(std::chrono::seconds{*v.remaining_seconds})
        + " left");
  for (const auto& [name, value] : v.metrics)
    parts.push_back(name + " " + value);
  return k8s::join(parts, ", ");
}

job_view parse_job_view(const json& job) {
  job_view v;
  v.training = parse_training_view(job);
  v.attempt = parse_attempt_view(job);
  v.started = time_at(job, {"status", "startTime"});
  v.ended = time_at(job, {"status", "completionTime"});
  if (!v.ended)
    v.ended = time_at(job, {"status", "completionTimestamp"});
  for (const auto& c : array_at(job, {"status", "conditions"})) {
    if (text_at(c, {"status"}) != "True")
      continue;
    auto type = text_at(c, {"type"});
    // A status with a phase has no startTime.
    if (!v.started && find_value(job, {"status", "phase"}))
      v.started = type == "Created"
                      ? time_at(c, {"lastTransitionTime"})
                      : time_at(job, {"metadata", "creationTimestamp"});
    bool ends = type == "Succeeded" || type == "Failed";
    if (v.end != job_end::open && !ends)
      continue;
    v.state = type;
    v.reason = text_at(c, {"reason"});
    v.message = text_at(c, {"message"});
    if (ends) {
      v.end = type == "Succeeded" ? job_end::succeeded : job_end::failed;
      if (!v.ended)
        v.ended = time_at(c, {"lastTransitionTime"});
    }
  }
  return v;
}

} // namespace troupe::cli
