#include "k8s/apiserver/controllers/job_values.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/resources/job_strategy.hpp"
#include "k8s/general/seconds.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::k8s::apiserver {

namespace {

constexpr auto first_back_off = std::chrono::seconds{10};
constexpr auto longest_back_off = std::chrono::minutes{6};

job_pod::phase read_phase(const json& pod) {
  const auto& text = text_at(pod, {"status", "phase"});
  return text == "Succeeded" ? job_pod::phase::succeeded
         : text == "Failed"  ? job_pod::phase::failed
         : text == "Running" ? job_pod::phase::running
                             : job_pod::phase::pending;
}

int read_index(const json& pod) {
  const auto& text = text_at(pod, {"metadata", "annotations", job_index_key});
  int out = -1;
  auto end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, out);
  return read.ec == std::errc{} && read.ptr == end ? out : -1;
}

/// When the last container ended, or, if no container says so, when the pod was
/// no longer ready, or was to go, or was made.
time_point read_finish_time(const json& pod, time_point created) {
  std::string last;
  for (auto list : {"containerStatuses", "initContainerStatuses"})
    for (const auto& c : array_at(pod, {"status", list}))
      last = std::max(last, text_at(c, {"state", "terminated", "finishedAt"}));
  if (last.empty())
    for (const auto& c : array_at(pod, {"status", "conditions"}))
      if (text_at(c, {"type"}) == "Ready")
        last = text_at(c, {"lastTransitionTime"});
  if (last.empty())
    last = text_at(pod, {"metadata", "deletionTimestamp"});
  return from_rfc3339(last).value_or(created);
}

void read_failure(const json& pod, job_pod& out) {
  for (auto list : {"containerStatuses", "initContainerStatuses"})
    for (const auto& c : array_at(pod, {"status", list}))
      if (auto code = number_at(c, {"state", "terminated", "exitCode"}))
        out.exit_codes.emplace_back(text_at(c, {"name"}), code);
  for (const auto& c : array_at(pod, {"status", "conditions"}))
    out.conditions.emplace_back(text_at(c, {"type"}), text_at(c, {"status"}));
}

std::optional<std::chrono::seconds> seconds_at(const json& value,
                                               key_path path) {
  auto n = int64_at(value, path);
  return n ? std::optional{to_bounded_seconds(*n)} : std::nullopt;
}

} // namespace

job_pod read_job_pod(const json& pod) {
  job_pod out;
  out.name = text_at(pod, {"metadata", "name"});
  out.uid = text_at(pod, {"metadata", "uid"});
  out.is = read_phase(pod);
  out.is_tracked = has_finalizer(pod, job_tracking_finalizer);
  out.is_terminating = is_terminating(pod);
  out.is_let_go =
      out.is_terminating
      && number_at(pod, {"metadata", "deletionGracePeriodSeconds"}) == 0;
  for (const auto& c : array_at(pod, {"status", "conditions"}))
    if (text_at(c, {"type"}) == "Ready")
      out.is_ready = text_at(c, {"status"}) == "True";
  for (auto list : {"containerStatuses", "initContainerStatuses"})
    for (const auto& c : array_at(pod, {"status", list}))
      out.restarts += number_at(c, {"restartCount"});
  out.index = read_index(pod);
  out.created = from_rfc3339(text_at(pod, {"metadata", "creationTimestamp"}))
                    .value_or(time_point{});
  if (out.is_terminal() || out.is_terminating) {
    out.finished = read_finish_time(pod, out.created);
    read_failure(pod, out);
  }
  return out;
}

job_spec read_job_spec(const json& job) {
  const auto& spec = value_at(job, {"spec"});
  job_spec out;
  out.parallelism = number_at(spec, {"parallelism"}, 1);
  out.completions = int64_at(spec, {"completions"});
  out.backoff_limit = number_at(spec, {"backoffLimit"}, 6);
  out.deadline = seconds_at(spec, {"activeDeadlineSeconds"});
  out.time_to_live = seconds_at(spec, {"ttlSecondsAfterFinished"});
  out.is_suspended = bool_at(spec, {"suspend"});
  out.is_indexed =
      text_at(spec, {"completionMode"}) == "Indexed" && out.completions;
  out.restarts_on_failure =
      text_at(spec, {"template", "spec", "restartPolicy"}) == "OnFailure";
  out.failure_rules = array_at(spec, {"podFailurePolicy", "rules"});
  out.replaces_ended_pods_only =
      text_at(spec, {"podReplacementPolicy"}) == "Failed"
      || find_value(spec, {"podFailurePolicy"});
  return out;
}

bool is_job_managed_elsewhere(const json& job) {
  const auto& manager = text_at(job, {"spec", "managedBy"});
  return !manager.empty() && manager != job_controller_name;
}

std::string controlling_job_uid(const json& pod) {
  for (const auto& owner : array_at(pod, {"metadata", "ownerReferences"}))
    if (bool_at(owner, {"controller"}) && text_at(owner, {"kind"}) == "Job"
        && text_at(owner, {"apiVersion"}) == "batch/v1")
      return text_at(owner, {"uid"});
  return {};
}

void job_back_off::add_ended_pods(const std::vector<const job_pod*>& succeeded,
                                  const std::vector<const job_pod*>& failed) {
  std::optional<time_point> last_success;
  for (const auto* pod : succeeded)
    last_success =
        std::max(last_success.value_or(pod->finished), pod->finished);
  if (last_success)
    failures = 0;
  for (const auto* pod : failed) {
    if (last_success && pod->finished <= *last_success)
      continue;
    last = failures == 0 ? pod->finished : std::max(last, pod->finished);
    ++failures;
  }
}

time_point job_back_off::next_creation() const {
  if (failures == 0)
    return time_point{};
  std::chrono::seconds pause = first_back_off;
  for (std::int64_t i = 1; i < failures && pause < longest_back_off; ++i)
    pause *= 2;
  return last + std::min<std::chrono::seconds>(pause, longest_back_off);
}

} // namespace troupe::k8s::apiserver
