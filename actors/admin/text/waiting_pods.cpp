#include "actors/admin/text/waiting_pods.hpp"

#include "actors/admin/text/report_text.hpp"
#include "frameworks/core/pass/gang_events.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace troupe::actors {

using k8s::array_at;
using k8s::bool_at;
using k8s::number_at;
using k8s::text_at;
using k8s::value_at;
using nlohmann::json;

namespace {

constexpr const char* the_scheduler = "the scheduler";
constexpr const char* the_kubelet = "the kubelet";

/// What is known of a pod's trouble. {} stands for the pod's name.
struct trouble_row {
  const char* reason;
  const char* what;
  const char* whose_move;
};

constexpr const char* pull = "the image of {} to be pulled";
constexpr const char* right_image =
    "a person, who corrects the image in the pod template";
constexpr const char* registry =
    "the kubelet, which tries again; a person if the image's name or its pull "
    "secret is wrong";
constexpr const char* containers = "the containers of {} to be created";
constexpr const char* missing_object =
    "the kubelet, which tries again; a person if something that the pod refers "
    "to is missing";

const trouble_row trouble_rows[] = {
    {"Unschedulable", "{} to be scheduled",
     "the scheduler; a person if no node can ever fit"},
    {"NoScheduler", "{} to be scheduled",
     "a person, who removes schedulerName or starts that scheduler"},
    {"SchedulerError", "{} to be scheduled", the_scheduler},
    {"Undetermined", "{} to be scheduled with its gang", the_scheduler},
    {"SchedulingGated", "the scheduling gates of {} to be removed",
     "the controller that set them"},
    {"ErrImagePull", pull, registry},
    {"ImagePullBackOff", pull, registry},
    {"RegistryUnavailable", pull, registry},
    {"ImageInspectError", pull, registry},
    {"InvalidImageName", pull, right_image},
    {"ErrImageNeverPull", pull, right_image},
    {"CreateContainerConfigError", containers, missing_object},
    {"CreateContainerError", containers, missing_object},
    {"RunContainerError", "the containers of {} to start",
     "a person, who corrects the pod template"},
    {"InitContainerGaveUp", "{} to start",
     "the kubelet, which tries again; a person if what is waited for never "
     "comes"},
    {"ContainerKeepsPod", "the other containers of {} to end",
     "a person, who ends them with the first, or makes them sidecars: init "
     "containers with restartPolicy Always"},
    {"CrashLoop", "{} to run for longer",
     "a person, who looks at its log; its kubelet, or the operator, starts it "
     "again after a back-off"},
    {"CrashLoopBackOff", "the containers of {} to be restarted",
     "the kubelet, after its back-off; a person if the program is wrong"},
};

/// "Unschedulable: Error pod w-0 condition message: no node fits" -> its end.
std::string problem_message_of(const std::string& trouble) {
  constexpr std::string_view mark = " message: ";
  auto colon = trouble.find(": ");
  if (colon == std::string::npos)
    return {};
  auto message = trouble.substr(colon + 2);
  auto at = message.rfind("Error pod ", 0) == 0 ? message.find(mark)
                                                : std::string::npos;
  return at == std::string::npos ? message : message.substr(at + mark.size());
}

std::string substitute_pod_names(const char* what, const std::string& name) {
  std::string text = what;
  if (auto at = text.find("{}"); at != std::string::npos)
    text.replace(at, 2, name);
  return text;
}

/// The pods for which `such` holds, by name.
template <class Predicate>
std::vector<const json*> pods_where(const json& report, Predicate such) {
  std::vector<const json*> found;
  for (const auto& p : array_at(report, {"pods"}))
    if (p.is_object() && such(p))
      found.push_back(&p);
  std::sort(found.begin(), found.end(), [](const json* a, const json* b) {
    return text_at(*a, {"name"}) < text_at(*b, {"name"});
  });
  return found;
}

/// "job-worker-0", "job-worker-0 and 3 other pods".
std::string name_first_and_count_others(const std::vector<const json*>& pods) {
  auto text = text_at(*pods.front(), {"name"});
  if (pods.size() > 1)
    text +=
        " and "
        + pluralize(static_cast<std::int64_t>(pods.size() - 1), "other pod");
  return text;
}

std::string problem_reason_of(const json& pod) {
  auto trouble = text_at(pod, {"trouble"});
  return trouble.substr(0, trouble.find(':'));
}

/// What a failed pod says of itself explains the past; nobody waits for it.
bool is_going_on(const json& pod) {
  return !bool_at(pod, {"terminating"}) && text_at(pod, {"phase"}) != "Failed";
}

bool waits_only_for_gang(const json& pod) {
  return problem_reason_of(pod) == "Undetermined"
         || core::is_about_other_gang_members(
             problem_message_of(text_at(pod, {"trouble"})));
}

} // namespace

std::optional<waiting_reason>
waiting_for_pods_with_problem(const json& report) {
  auto troubled = pods_where(report, [](const json& p) {
    return !text_at(p, {"trouble"}).empty() && is_going_on(p);
  });
  if (troubled.empty())
    return {};
  auto first =
      std::find_if(troubled.begin(), troubled.end(),
                   [](const json* p) { return !waits_only_for_gang(*p); });
  const auto& pod = first == troubled.end() ? *troubled.front() : **first;
  auto why = problem_reason_of(pod);
  auto alike = pods_where(report, [&](const json& p) {
    return problem_reason_of(p) == why && is_going_on(p);
  });
  auto message = problem_message_of(text_at(pod, {"trouble"}));
  auto details = why + (message.empty() ? "" : ": " + message);
  auto names = name_first_and_count_others(alike);
  for (const auto& row : trouble_rows)
    if (why == row.reason)
      return waiting_reason{substitute_pod_names(row.what, names) + ": "
                                + details,
                            row.whose_move};
  return waiting_reason{names + ": " + details, the_kubelet};
}

std::optional<waiting_reason>
waiting_for_delayed_replacements(const json& report) {
  auto waiting = pods_where(report, [](const json& p) {
    return !text_at(p, {"replacedAt"}).empty();
  });
  if (waiting.empty())
    return {};
  const auto& pod = *waiting.front();
  auto wait = human_duration_between(report, {"at"}, pod, {"replacedAt"});
  return waiting_reason{
      "the replacement of " + name_first_and_count_others(waiting) + " in "
          + wait.value_or("0s") + ", at " + text_at(pod, {"replacedAt"})
          + ": it failed shortly after its start, "
          + once_or_n_times(number_at(pod, {"earlyFailuresBefore"}) + 1)
          + " in a row",
      "the operator, after its back-off; a person if the program is wrong"};
}

std::optional<waiting_reason> waiting_for_pending_pods(const json& report) {
  auto pending = [](bool scheduled) {
    return [scheduled](const json& p) {
      return text_at(p, {"phase"}) == "Pending" && !bool_at(p, {"terminating"})
             && bool_at(p, {"scheduled"}) == scheduled;
    };
  };
  if (auto pods = pods_where(report, pending(false)); !pods.empty())
    return waiting_reason{
        name_first_and_count_others(pods) + " to be scheduled", the_scheduler};
  if (auto pods = pods_where(report, pending(true)); !pods.empty())
    return waiting_reason{name_first_and_count_others(pods) + " to start",
                          the_kubelet};
  return {};
}

std::optional<waiting_reason> waiting_for_unready_pods(const json& report) {
  auto unready = pods_where(report, [](const json& p) {
    return text_at(p, {"phase"}) == "Running" && !bool_at(p, {"terminating"})
           && p.contains("ready") && !bool_at(p, {"ready"});
  });
  if (unready.empty())
    return {};
  return waiting_reason{name_first_and_count_others(unready)
                            + " to become ready",
                        "the processes in its pods, and their readiness "
                        "probes"};
}

std::optional<waiting_reason> waiting_for_terminating_pods(const json& report) {
  auto ending = pods_where(
      report, [](const json& p) { return bool_at(p, {"terminating"}); });
  if (ending.empty())
    return {};
  return waiting_reason{name_first_and_count_others(ending) + " to be deleted",
                        the_kubelet};
}

std::optional<waiting_reason> waiting_for_missing_pods(const json& report) {
  const auto& replicas = value_at(report, {"replicas"});
  if (!replicas.is_object())
    return {};
  std::int64_t missing = 0;
  for (const auto& [type, wanted] : replicas.items()) {
    auto label = k8s::lower_case(type);
    auto there = pods_where(
        report, [&](const json& p) { return text_at(p, {"type"}) == label; });
    missing += std::max<std::int64_t>(
        0, number_at(wanted, {}) - static_cast<std::int64_t>(there.size()));
  }
  if (missing == 0)
    return {};
  return waiting_reason{"the creation of " + pluralize(missing, "pod"),
                        "the operator"};
}

std::optional<waiting_reason> waiting_for_lost_pods(const json& report) {
  auto lost = pods_where(
      report, [](const json& p) { return text_at(p, {"phase"}) == "Unknown"; });
  if (lost.empty())
    return {};
  return waiting_reason{"the state of " + name_first_and_count_others(lost)
                            + ", which is unknown: the node does not report",
                        the_kubelet};
}

} // namespace troupe::actors
