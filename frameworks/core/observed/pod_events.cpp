#include "frameworks/core/observed/pod_events.hpp"

#include "frameworks/core/base/numbers.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/observed/crash_loop.hpp"
#include "frameworks/core/observed/failures.hpp"
#include "frameworks/core/observed/pod_problem.hpp"
#include "frameworks/core/observed/pod_trouble.hpp"

#include <algorithm>

namespace troupe::core {

using state_kind = k8s::container_status::state_kind;

namespace {

constexpr const char* exited = "ExitedWithCode";

/// The containers of a pod that mean something.
struct known_containers {
  std::string main;        ///< The default container.
  own_containers own_init; ///< Init containers that the kind has added.
};

known_containers main_and_own_init_containers(const job& of,
                                              const std::string& type) {
  const auto* spec = of.find_replica_spec(type);
  return {spec ? spec->main_container : std::string{of.kind->pods.container},
          spec ? spec->own_init_containers : own_containers{}};
}

const k8s::pod_condition* disruption_condition(const k8s::pod_state& state) {
  for (const auto& c : state.conditions)
    if (c.type == "DisruptionTarget" && c.status == "True")
      return &c;
  return nullptr;
}

std::int32_t
total_container_restarts(const std::vector<k8s::container_status>& containers) {
  std::int32_t sum = 0;
  for (const auto& c : containers)
    add_saturated(sum, std::max(c.restarts, 0));
  return sum;
}

/// Of the init containers that are the user's, and no sidecars: the pod goes on
/// whatever becomes of those.
std::int32_t users_init_container_restarts(const k8s::pod_state& state,
                                           const own_containers& own) {
  std::int32_t sum = 0;
  for (const auto& c : state.init_containers)
    if (!c.is_sidecar && !is_one_of(own, c.name))
      add_saturated(sum, std::max(c.restarts, 0));
  return sum;
}

/// The kubelet does not try to start any container of a pod that it refuses
/// (UnexpectedAdmissionError, OutOfcpu, NodeAffinity, ...). One that it evicts
/// may look alike.
bool is_refused_by_node(const k8s::pod_state& state) {
  return state.phase == k8s::pod_phase::failed && state.containers.empty()
         && state.init_containers.empty() && !state.reason.empty()
         && state.reason != "Evicted" && !disruption_condition(state);
}

/// The init container of ours that has ended the pod, or nullptr. (A pod with a
/// reason was ended by somebody else.)
const k8s::container_status*
init_container_that_gave_up(const k8s::pod_state& state,
                            const own_containers& own) {
  if (state.phase != k8s::pod_phase::failed || !state.reason.empty())
    return nullptr;
  for (const auto& c : state.init_containers)
    if (is_one_of(own, c.name) && c.state == state_kind::terminated
        && c.exit_code != 0)
      return &c;
  return nullptr;
}

bool has_true_condition(const k8s::pod_state& state, std::string_view type) {
  for (const auto& c : state.conditions)
    if (c.type == type)
      return c.status == "True";
  return false;
}

/// When the last container ended; without any, when a condition last changed.
std::optional<k8s::time_point> last_container_end(const k8s::pod_state& state) {
  std::optional<k8s::time_point> end;
  for (const auto* all : {&state.containers, &state.init_containers})
    for (const auto& c : *all)
      if (c.finished != k8s::time_point{}) // Unknown to the kubelet.
        end = std::max(end, c.finished);
  if (const auto* c = latest_condition(state.conditions);
      !end && c && c->last_transition != k8s::time_point{})
    end = c->last_transition;
  return end;
}

/// `view.ended` is the time of its creation so far.
void set_end_and_early_failure(child_view& view, const k8s::pod_state& state) {
  auto begin = state.started.value_or(view.ended);
  bool failed = state.phase == k8s::pod_phase::failed;
  view.ended =
      failed ? last_container_end(state).value_or(begin) : time_point{};
  view.failed_early = failed && !view.terminating && !view.disrupted
                      && view.ended - begin < early_failure_limit;
}

job_event gave_up_event(const job& of, const child_view& pod,
                        const k8s::container_status& c) {
  return {true, init_gave_up,
          "Pod: " + of.ns + "." + pod.name + ": "
              + describe_init_container(
                  c.name, of.kind->hooks.own_init_containers_wait_for)
              + " has given up with exit code " + std::to_string(c.exit_code)
              + "; the pod is replaced and does not count as failed"};
}

job_event disrupted_event(const job& of, const child_view& pod,
                          const k8s::pod_condition& why) {
  auto text = "Pod: " + of.ns + "." + pod.name + " was disrupted (" + why.reason
              + ") and does not count as failed";
  return {false, "PodDisrupted",
          why.message.empty() ? text : text + ": " + why.message};
}

bool is_replacement_delayed(const job& of, const child_view& pod) {
  const auto* spec = of.find_replica_spec(pod.at.type);
  return spec && pod.failed_early && pod.early_failures > 0
         && (pod.gave_up_waiting
             || decide_on_failure(of, *spec, pod).action
                    == failure_action::replace);
}

/// Without retries the first failure fails the job by its limit, and only that
/// event is emitted.
bool first_failure_ends_job(const job& of, const child_view& pod) {
  return of.policy.backoff_limit && *of.policy.backoff_limit <= 0
         && pod.failed_by_itself();
}

std::shared_ptr<const pod_details>
make_pod_details(const k8s::pod_state& state, const k8s::object_meta& meta,
                 const std::string& default_container) {
  auto result = std::make_shared<pod_details>();
  result->labels = meta.labels;
  result->owners = meta.owners;
  result->ips = state.ips;
  result->on_host_network = state.on_host_network;
  for (const auto& p : *state.ports)
    if (p.container == default_container)
      result->ports.push_back({p.name, p.number, p.protocol});
  for (const auto& c : state.containers)
    if (c.name == default_container && c.state == state_kind::waiting)
      result->crash_looping = c.reason == "CrashLoopBackOff";
  return result;
}

std::vector<job_event> problem_events(const job& of, const child_view& pod,
                                      const k8s::pod_state& state) {
  auto result = pod_waiting_events(pod.name, state);
  const std::string& reason = pod.problem->reason;
  if (reason == container_keeps_pod || reason == init_gave_up)
    result.push_back(
        {reason == init_gave_up, reason,
         "Pod: " + of.ns + "." + pod.name + ": " + pod.problem->message});
  return result;
}

bool has_new_exit(const child_view* before, const child_view& after) {
  return after.exit_code
         && (!before || before->exit_code != after.exit_code
             || before->restarts != after.restarts);
}

} // namespace

std::vector<job_event> pod_waiting_events(const std::string& pod,
                                          const k8s::pod_state& state) {
  std::vector<job_event> result;
  for (auto& p : problems_in_status(pod, state))
    result.push_back({true, std::move(p.reason), std::move(p.message)});
  return result;
}

void copy_pod_state(child_view& view, const k8s::pod_state& state,
                    const k8s::object_meta& meta, const job& of) {
  const auto containers = main_and_own_init_containers(of, view.at.type);
  view.phase = state.phase;
  view.scheduled = !state.node.empty();
  if (state.scheduling_group)
    view.scheduling_group = hash_of_group(*state.scheduling_group);
  view.ready = has_true_condition(state, of.kind->pods.ready_condition);
  view.started = state.started.value_or(time_point{});
  view.evicted = state.reason == "Evicted";
  view.disrupted = disruption_condition(state) != nullptr;
  set_end_and_early_failure(view, state);
  if (!state.reason.empty())
    view.status_reason = state.reason;
  const auto& own = containers.own_init;
  view.refused = is_refused_by_node(state);
  view.gave_up_waiting = init_container_that_gave_up(state, own) != nullptr;
  view.restarts = total_container_restarts(state.containers);
  add_saturated(view.restarts, users_init_container_restarts(state, own));
  for (const auto& c : state.containers)
    if (c.name == containers.main && c.state == state_kind::terminated)
      view.exit_code = c.exit_code;
  if (state.ports)
    view.details = make_pod_details(state, meta, containers.main);
  if (auto found = find_pod_problem(state, view, of, own))
    view.problem = std::move(*found);
  if (auto loop = find_most_restarted_container_loop(
          state, of.find_replica_spec(view.at.type)))
    view.container_loop = std::move(*loop);
  if (of.kind->pods.keeps_trouble)
    copy_attempt_and_trouble(view, state, meta, of);
}

std::vector<job_event> pod_events(const job& of, const child_view* before,
                                  const child_view& after,
                                  const k8s::pod_state& state) {
  std::vector<job_event> result;
  if (!after.owned || after.at.index < 0 || of.policy.suspend)
    return result;
  if (of.kind->messages.emits_exit_events && has_new_exit(before, after)
      && !first_failure_ends_job(of, after))
    result.push_back({false, exited,
                      "Pod: " + of.ns + "." + after.name + " exited with code "
                          + std::to_string(*after.exit_code)});
  bool failed = after.phase == k8s::pod_phase::failed
                && (!before || before->phase != after.phase);
  if (const auto* why = disruption_condition(state);
      why && failed && of.kind->ending.replaces_disrupted_pods)
    result.push_back(disrupted_event(of, after, *why));
  if (failed && after.gave_up_waiting)
    if (const auto* spec = of.find_replica_spec(after.at.type))
      if (const auto* c =
              init_container_that_gave_up(state, spec->own_init_containers))
        result.push_back(gave_up_event(of, after, *c));
  if (failed && is_replacement_delayed(of, after))
    result.push_back(
        {true, "BackOff", "Pod: " + describe_replacement_wait(after)});
  bool fresh = !before || before->problem != after.problem;
  if (of.kind->messages.emits_problem_events && fresh
      && !after.problem->message.empty() && !after.is_finished())
    for (auto& t : problem_events(of, after, state))
      result.push_back(std::move(t));
  return result;
}

std::vector<job_event> keep_final_exit_events(std::vector<job_event> events,
                                              bool known, const child_view& pod,
                                              const job_status& over) {
  // Both times are kept in whole seconds.
  bool at_the_end =
      known && pod.phase == k8s::pod_phase::failed && !pod.terminating
      && over.completion_time
      && pod.ended <= *over.completion_time + std::chrono::seconds{1};
  events.erase(std::remove_if(events.begin(), events.end(),
                              [&](const job_event& t) {
                                return !at_the_end || t.reason != exited;
                              }),
               events.end());
  return events;
}

} // namespace troupe::core
