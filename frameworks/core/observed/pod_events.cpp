#include "frameworks/core/observed/pod_events.hpp"

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/numbers.hpp"
#include "frameworks/core/observed/crash_loop.hpp"
#include "frameworks/core/observed/failures.hpp"

#include <algorithm>

namespace troupe::core {

using state_kind = k8s::container_status::state_kind;

namespace {

constexpr const char* exited = "ExitedWithCode";
constexpr const char* init_gave_up = "InitContainerGaveUp";
constexpr const char* keeps_pod = "ContainerKeepsPod";

/// The containers of a pod that mean something.
struct known_containers {
  std::string main;        ///< The default container.
  own_containers own_init; ///< Init containers that the kind has added.
};

known_containers containers_of(const job& of, const std::string& type) {
  const auto* spec = of.find_replica_spec(type);
  return {spec ? spec->main_container : std::string{of.kind->pods.container},
          spec ? spec->own_init_containers : own_containers{}};
}

void add_container_waiting_events(
    std::vector<job_event>& out, const std::string& pod,
    const std::vector<k8s::container_status>& containers) {
  for (const auto& c : containers) {
    auto subject = "Error pod " + pod + " container " + c.name;
    if (c.state == state_kind::terminated && c.exit_code != 0)
      out.push_back({true, c.reason,
                     subject + " exitCode: " + std::to_string(c.exit_code)
                         + " terminated message: " + c.message});
    else if (c.state == state_kind::waiting && !c.message.empty())
      out.push_back(
          {true, c.reason, subject + " waiting message: " + c.message});
  }
}

const k8s::pod_condition*
latest_condition(const std::vector<k8s::pod_condition>& conditions) {
  auto i = std::max_element(conditions.begin(), conditions.end(),
                            [](const auto& a, const auto& b) {
                              return a.last_transition < b.last_transition;
                            });
  return i == conditions.end() ? nullptr : &*i;
}

/// Volcano's word for a pod that has a node to go to and waits for the others
/// of its gang: the trouble is theirs.
bool waits_only_for_gang_peers(const k8s::pod_condition& c) {
  return c.type == "PodScheduled" && c.reason == "Schedulable";
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

bool is_one_of(const own_containers& names, const std::string& name) {
  return std::find(names->begin(), names->end(), name) != names->end();
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

/// The init container of ours that the kubelet has started again because it
/// gave up, while the pod waits for it; or nullptr.
const k8s::container_status*
init_container_that_retries(const k8s::pod_state& state,
                            const own_containers& own) {
  for (const auto& c : state.init_containers)
    if (is_one_of(own, c.name) && c.restarts > 0
        && !(c.state == state_kind::terminated && c.exit_code == 0))
      return &c;
  return nullptr;
}

/// "init container init-pytorch, which waits for the master's name to resolve,"
std::string describe_init_container(const std::string& name,
                                    const char* waits_for) {
  return "init container " + name + ", which waits for " + waits_for + ",";
}

bool all_containers_are_ready(const k8s::pod_state& state) {
  for (const auto& c : state.conditions)
    if (c.type == "ContainersReady")
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
             || action_on_failure(*of.kind, spec->restart, pod)
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

/// Whether its kubelet does not start it again.
bool has_ended_for_good(const k8s::container_status& c,
                        const replica_spec& spec) {
  if (c.state != state_kind::terminated)
    return false;
  if (spec.restart_text == "Always")
    return false;
  return spec.restart_text != "OnFailure" || c.exit_code == 0;
}

/// Those beside the main one that have not ended: "a", "a, b".
std::string names_of_remaining(const k8s::pod_state& state,
                               const std::string& main) {
  std::string names;
  for (const auto& c : state.containers)
    if (c.name != main && c.state != state_kind::terminated)
      names += (names.empty() ? "" : ", ") + c.name;
  return names;
}

/// Of a running pod: what keeps it from ending with its default container.
std::optional<child_problem> kept_pod_problem(const k8s::pod_state& state,
                                              const child_view& pod,
                                              const job& of) {
  const auto* spec = of.find_replica_spec(pod.at.type);
  if (!spec || of.kind->ending.main_container_decides
      || state.phase != k8s::pod_phase::running)
    return std::nullopt;
  for (const auto& c : state.containers)
    if (c.name == spec->main_container && has_ended_for_good(c, *spec))
      if (auto names = names_of_remaining(state, c.name); !names.empty())
        return child_problem{
            keeps_pod, "container " + c.name + " has ended with exit code "
                           + std::to_string(c.exit_code) + ", but " + names
                           + " keeps the pod"};
  return std::nullopt;
}

/// What its kubelet, or who evicted it, says of a pod that failed.
std::optional<child_problem> failed_pod_problem(const k8s::pod_state& state) {
  if (state.phase != k8s::pod_phase::failed
      || (state.reason.empty() && state.message.empty()))
    return std::nullopt;
  return child_problem{state.reason.empty() ? "Failed" : state.reason,
                       state.message};
}

/// An init container of ours that its kubelet starts again and again.
std::optional<child_problem> retried_init_problem(const k8s::pod_state& state,
                                                  const job& of,
                                                  const own_containers& own) {
  const auto* c = init_container_that_retries(state, own);
  if (!c)
    return std::nullopt;
  return child_problem{
      init_gave_up,
      describe_init_container(c->name,
                              of.kind->hooks.own_init_containers_wait_for)
          + " has given up " + std::to_string(c->restarts)
          + (c->restarts == 1 ? " time" : " times")
          + " and is tried again; that does not count as a restart"};
}

std::optional<child_problem> find_problem(const k8s::pod_state& state,
                                          const child_view& pod, const job& of,
                                          const own_containers& own_init) {
  if (auto failed = failed_pod_problem(state))
    return failed;
  if (pod.is_finished() || pod.terminating)
    return std::nullopt;
  if (auto found = kept_pod_problem(state, pod, of))
    return found;
  auto waits = pod_waiting_events(pod.name, state);
  if (waits.empty())
    return retried_init_problem(state, of, own_init);
  return child_problem{std::move(waits.front().reason),
                       std::move(waits.front().message)};
}

std::vector<job_event> problem_events(const job& of, const child_view& pod,
                                      const k8s::pod_state& state) {
  auto result = pod_waiting_events(pod.name, state);
  const std::string& reason = pod.problem->reason;
  if (reason == keeps_pod || reason == init_gave_up)
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
  if (!state.containers.empty()) {
    add_container_waiting_events(result, pod, state.containers);
  } else if (!state.init_containers.empty()) {
    add_container_waiting_events(result, pod, state.init_containers);
  } else if (auto* c = latest_condition(state.conditions);
             c && c->status != "True" && !c->reason.empty()
             && !waits_only_for_gang_peers(*c)) {
    result.push_back(
        {true, c->reason,
         "Error pod " + pod + " condition message: " + c->message});
  }
  return result;
}

void copy_pod_state(child_view& view, const k8s::pod_state& state,
                    const k8s::object_meta& meta, const job& of) {
  const auto containers = containers_of(of, view.at.type);
  view.phase = state.phase;
  view.scheduled = !state.node.empty();
  view.ready = all_containers_are_ready(state);
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
  if (auto found = find_problem(state, view, of, own))
    view.problem = std::move(*found);
  if (auto loop =
          find_container_loop(state, of.find_replica_spec(view.at.type)))
    view.container_loop = std::move(*loop);
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
  if (!after.problem->message.empty() && fresh && !after.is_finished())
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
