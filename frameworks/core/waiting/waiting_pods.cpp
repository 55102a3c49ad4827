#include "frameworks/core/waiting/waiting_pods.hpp"

#include "frameworks/core/gangs/gang_events.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/observed/failures.hpp"
#include "frameworks/core/observed/pod_problem.hpp"
#include "frameworks/core/pass/desired_replicas.hpp"
#include "frameworks/core/waiting/reason_parts.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <vector>

namespace troupe::core {

namespace {

using optional_reason = std::optional<waiting_reason>;

constexpr next_move the_scheduler{mover::cluster, "the scheduler"};
constexpr next_move the_kubelet{mover::cluster, "the kubelet"};

/// What is known of a pod's trouble. {} stands for the pod's name.
struct trouble {
  const char* reason;
  const char* what;
  next_move whose;
};

constexpr const char* pull = "the image of {} to be pulled";
constexpr next_move right_image{
    mover::person, "a person, who corrects the image in the pod template"};
constexpr next_move registry{
    mover::cluster,
    "the kubelet, which tries again; a person if the image's name or its pull "
    "secret is wrong"};
constexpr const char* containers = "the containers of {} to be created";
constexpr next_move missing_object{
    mover::cluster,
    "the kubelet, which tries again; a person if something that the pod refers "
    "to is missing"};

constexpr trouble troubles[] = {
    {"Unschedulable",
     "{} to be scheduled",
     {mover::cluster, "the scheduler; a person if no node can ever fit"}},
    {"NoScheduler",
     "{} to be scheduled",
     {mover::person,
      "a person, who removes schedulerName or starts that scheduler"}},
    {"SchedulerError", "{} to be scheduled", the_scheduler},
    {"Undetermined", "{} to be scheduled with its gang", the_scheduler},
    {"SchedulingGated",
     "the scheduling gates of {} to be removed",
     {mover::controller, "the controller that set them"}},
    {"ErrImagePull", pull, registry},
    {"ImagePullBackOff", pull, registry},
    {"RegistryUnavailable", pull, registry},
    {"ImageInspectError", pull, registry},
    {"InvalidImageName", pull, right_image},
    {"ErrImageNeverPull", pull, right_image},
    {"CreateContainerConfigError", containers, missing_object},
    {"CreateContainerError", containers, missing_object},
    {"RunContainerError",
     "the containers of {} to start",
     {mover::person, "a person, who corrects the pod template"}},
    {init_gave_up,
     "{} to start",
     {mover::cluster, "the kubelet, which tries again; a person if what is "
                      "waited for never comes"}},
    {container_keeps_pod,
     "the other containers of {} to end",
     {mover::person,
      "a person, who ends them with the first, or makes them sidecars: init "
      "containers with restartPolicy Always"}},
    {crash_loop_reason,
     "{} to run for longer",
     {mover::person,
      "a person, who looks at its log; its kubelet, or the operator, starts it "
      "again after a back-off"}},
    {"CrashLoopBackOff",
     "the containers of {} to be restarted",
     {mover::cluster, "the kubelet, after its back-off; a person if the "
                      "program is wrong"}},
};

std::optional<time_point> earliest_known_time(const pod_list& pods,
                                              time_point child_view::*time) {
  std::optional<time_point> first;
  for (const auto* p : pods)
    if (p->*time != time_point{})
      first = std::min(first.value_or(p->*time), p->*time);
  return first;
}

/// What a failed pod says of itself explains the past; nobody waits for it.
bool has_not_failed_or_begun_to_end(const child_view& pod) {
  return !pod.terminating && pod.phase != k8s::pod_phase::failed;
}

bool waits_only_for_gang(const child_problem& problem) {
  return problem.reason == "Undetermined"
         || is_about_other_gang_members(problem.cause());
}

/// Whether nothing that made the pods has given them a gate: Kueue's
/// integration of pods does, where it is not told whose they are.
bool is_gated_by_integration_of_pods(const waiting_inputs& in) {
  return in.cluster.queueing.on && in.wanted && !in.wanted->queue.empty()
         && std::none_of(in.wanted->replicas.begin(), in.wanted->replicas.end(),
                         [](const auto& r) {
                           return r.pod_template.find("schedulingGates")
                                  != std::string::npos;
                         });
}

std::string whose_setting_is_missing(const job& j) {
  const auto& type = j.kind->names.type;
  return "a person, if Kueue has set them because it queues pods, too: "
         "integrations.externalFrameworks of its configuration lacks "
         + type.kind + "." + type.version + "." + type.group;
}

bool is_pending_and_not_deleted(const child_view& pod) {
  return pod.phase == k8s::pod_phase::pending && !pod.terminating;
}

} // namespace

optional_reason waiting_for_troubled_pods(const waiting_inputs& in) {
  auto troubled = pods_where(in, [&](const child_view& p) {
    return has_not_failed_or_begun_to_end(p)
           && !crash_loop_or_pod_problem(p, in.now).reason.empty();
  });
  if (troubled.empty())
    return {};
  auto first =
      std::find_if(troubled.begin(), troubled.end(), [&](const child_view* p) {
        return !waits_only_for_gang(crash_loop_or_pod_problem(*p, in.now));
      });
  auto problem = crash_loop_or_pod_problem(
      first == troubled.end() ? *troubled.front() : **first, in.now);
  auto alike = pods_where(in, [&](const child_view& p) {
    return has_not_failed_or_begun_to_end(p)
           && crash_loop_or_pod_problem(p, in.now).reason == problem.reason;
  });
  auto names = first_and_others(alike);
  auto cause = problem.cause();
  auto r = reason_of(names, the_kubelet);
  for (const auto& row : troubles)
    if (problem.reason == row.reason)
      r = reason_of(k8s::replace_all(row.what, "{}", names), row.whose);
  if (problem.reason == "SchedulingGated"
      && is_gated_by_integration_of_pods(in)) {
    r.whose_move = mover::person;
    r.who = whose_setting_is_missing(*in.wanted);
  }
  r.details = problem.reason + (cause.empty() ? "" : ": " + cause);
  r.since = earliest_known_time(alike, &child_view::created);
  return r;
}

optional_reason waiting_for_delayed_replacements(const waiting_inputs& in) {
  auto waiting = pods_where(in, [](const child_view& p) {
    return !p.terminating && delayed_replacement_time_if_any(p);
  });
  if (waiting.empty())
    return {};
  const auto& pod = *waiting.front();
  auto then = *delayed_replacement_time_if_any(pod);
  auto r = reason_of(
      "the replacement of " + first_and_others(waiting),
      {mover::this_operator,
       "the operator, after its back-off; a person if the program is wrong"},
      "at " + k8s::to_rfc3339(then));
  r.details = "it failed shortly after its start, "
              + once_or_n_times(pod.early_failures + 1) + " in a row";
  r.since = earliest_known_time(waiting, &child_view::ended);
  r.until = then;
  return r;
}

optional_reason waiting_for_scheduling(const waiting_inputs& in) {
  auto pods = pods_where(in, [](const child_view& p) {
    return is_pending_and_not_deleted(p) && !p.scheduled;
  });
  if (pods.empty())
    return {};
  auto r =
      reason_of(first_and_others(pods) + " to be scheduled", the_scheduler);
  r.since = earliest_known_time(pods, &child_view::created);
  return r;
}

optional_reason waiting_for_start(const waiting_inputs& in) {
  auto pods = pods_where(in, [](const child_view& p) {
    return is_pending_and_not_deleted(p) && p.scheduled;
  });
  if (pods.empty())
    return {};
  auto r = reason_of(first_and_others(pods) + " to start", the_kubelet);
  r.since = earliest_known_time(pods, &child_view::created);
  return r;
}

optional_reason waiting_for_readiness(const waiting_inputs& in) {
  if (!in.wanted || !in.wanted->kind->pods.counts_ready_pods)
    return {};
  auto pods = pods_where(in, [](const child_view& p) {
    return p.phase == k8s::pod_phase::running && !p.terminating && !p.ready;
  });
  if (pods.empty())
    return {};
  auto r = reason_of(first_and_others(pods) + " to become ready",
                     {mover::program, "the processes in its pods, and their "
                                      "readiness probes"});
  r.since = earliest_known_time(pods, &child_view::started);
  return r;
}

optional_reason waiting_for_leaving_pods(const waiting_inputs& in) {
  auto pods = pods_where(in, [](const child_view& p) { return p.terminating; });
  if (pods.empty())
    return {};
  return reason_of(first_and_others(pods) + " to be deleted", the_kubelet);
}

optional_reason waiting_for_missing_pods(const waiting_inputs& in) {
  if (!in.wanted)
    return {};
  std::int64_t missing = 0;
  for (const auto& [type, wanted] : desired_replicas(*in.wanted, in.seen)) {
    auto label = k8s::lower_case(type);
    if (label == in.wanted->kind->names.type_made_by_job)
      continue; // See waiting_launcher.hpp.
    auto there =
        pods_where(in, [&](const child_view& p) { return p.at.type == label; });
    missing += std::max<std::int64_t>(
        0, wanted - static_cast<std::int64_t>(there.size()));
  }
  if (missing == 0)
    return {};
  return reason_of("the creation of " + pluralize(missing, "pod"),
                   the_operator);
}

optional_reason waiting_for_lost_pods(const waiting_inputs& in) {
  auto lost = pods_where(in, [](const child_view& p) {
    return p.phase == k8s::pod_phase::unknown;
  });
  if (lost.empty())
    return {};
  auto r = reason_of("the state of " + first_and_others(lost), the_kubelet,
                     "which is unknown");
  r.details = "the node does not report";
  return r;
}

} // namespace troupe::core
