#include "frameworks/core/observed/pod_problem.hpp"

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/observed/crash_loop.hpp"

#include <algorithm>

namespace troupe::core {

using state_kind = k8s::container_status::state_kind;

namespace {

child_problem problem_with_preamble(const std::string& reason,
                                    const std::string& preamble,
                                    const std::string& cause) {
  return {reason, preamble + cause, preamble.size()};
}

void add_container_problems(
    std::vector<child_problem>& out, const std::string& pod,
    const std::vector<k8s::container_status>& containers) {
  for (const auto& c : containers) {
    auto subject = "Error pod " + pod + " container " + c.name;
    if (c.state == state_kind::terminated && c.exit_code != 0)
      out.push_back(problem_with_preamble(c.reason,
                                          subject + " exitCode: "
                                              + std::to_string(c.exit_code)
                                              + " terminated message: ",
                                          c.message));
    else if (c.state == state_kind::waiting && !c.message.empty())
      out.push_back(problem_with_preamble(
          c.reason, subject + " waiting message: ", c.message));
  }
}

/// What Volcano and Kubernetes say of a pod that has a node to go to and waits
/// for the others of its gang: the trouble is theirs.
bool waits_only_for_gang_peers(const k8s::pod_condition& c) {
  return c.type == "PodScheduled"
         && (c.reason == "Schedulable"
             || c.message.rfind("pod group is unschedulable", 0) == 0);
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

/// Whether its kubelet does not start it again.
bool has_ended_for_good(const k8s::container_status& c,
                        const replica_spec& spec,
                        const failure_policy& policy) {
  if (c.state != state_kind::terminated)
    return false;
  if (policy.must_see_failures())
    return true;
  if (spec.restart_text == "Always")
    return false;
  return spec.restart_text != "OnFailure" || c.exit_code == 0;
}

/// Those beside the main one that have not ended: "a", "a, b".
std::string names_of_other_unended_containers(const k8s::pod_state& state,
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
    if (c.name == spec->main_container
        && has_ended_for_good(c, *spec, of.failure_policy_or_default()))
      if (auto names = names_of_other_unended_containers(state, c.name);
          !names.empty())
        return child_problem{container_keeps_pod,
                             "container " + c.name
                                 + " has ended with exit code "
                                 + std::to_string(c.exit_code) + ", but "
                                 + names + " keeps the pod"};
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

} // namespace

const k8s::pod_condition*
latest_condition(const std::vector<k8s::pod_condition>& conditions) {
  auto i = std::max_element(conditions.begin(), conditions.end(),
                            [](const auto& a, const auto& b) {
                              return a.last_transition < b.last_transition;
                            });
  return i == conditions.end() ? nullptr : &*i;
}

bool is_one_of(const own_containers& names, const std::string& name) {
  return std::find(names->begin(), names->end(), name) != names->end();
}

std::string describe_init_container(const std::string& name,
                                    const char* waits_for) {
  return "init container " + name + ", which waits for " + waits_for + ",";
}

std::vector<child_problem> problems_in_status(const std::string& pod,
                                              const k8s::pod_state& state) {
  std::vector<child_problem> result;
  if (!state.containers.empty()) {
    add_container_problems(result, pod, state.containers);
  } else if (!state.init_containers.empty()) {
    add_container_problems(result, pod, state.init_containers);
  } else if (auto* c = latest_condition(state.conditions);
             c && c->status != "True" && !c->reason.empty()
             && !waits_only_for_gang_peers(*c)) {
    result.push_back(problem_with_preamble(
        c->reason, "Error pod " + pod + " condition message: ", c->message));
  }
  return result;
}

std::optional<child_problem> find_pod_problem(const k8s::pod_state& state,
                                              const child_view& pod,
                                              const job& of,
                                              const own_containers& own_init) {
  if (auto failed = failed_pod_problem(state))
    return failed;
  if (pod.is_finished() || pod.terminating)
    return std::nullopt;
  if (auto found = kept_pod_problem(state, pod, of))
    return found;
  auto problems = problems_in_status(pod.name, state);
  if (problems.empty())
    return retried_init_problem(state, of, own_init);
  return std::move(problems.front());
}

child_problem crash_loop_or_pod_problem(const child_view& pod, time_point now) {
  if (auto loop = find_crash_loop(pod, now))
    return {crash_loop_reason, describe_crash_loop(*loop)};
  return *pod.problem;
}

} // namespace troupe::core
