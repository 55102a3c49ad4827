#include "k8s/node/pods/pod_status.hpp"

#include <algorithm>

namespace troupe::k8s::node {

namespace {

json container_state_to_json(const container_state& s) {
  using kind = container_state::kind;
  json body = json::object();
  auto tell = [&](const char* key, const std::string& text) {
    if (!text.empty())
      body[key] = text;
  };
  tell("reason", s.reason);
  tell("message", s.message);
  if (s.now == kind::waiting)
    return {{"waiting", body}};
  body["startedAt"] = to_rfc3339(s.started);
  if (s.now == kind::running)
    return {{"running", body}};
  body["finishedAt"] = to_rfc3339(s.finished);
  body["exitCode"] = s.exit_code;
  if (s.signal != 0)
    body["signal"] = s.signal;
  return {{"terminated", body}};
}

bool is_running(const container_runtime_status& c) {
  return c.state.now == container_state::kind::running;
}

json container_status_to_json(const container_runtime_status& c, bool is_init) {
  bool init = is_init && !c.is_sidecar;
  bool succeeded = c.state.now == container_state::kind::terminated
                   && c.state.exit_code == 0;
  json out{{"name", c.name},
           {"image", c.image},
           {"imageID", ""},
           {"ready", init ? succeeded : is_running(c)},
           {"started", is_running(c)},
           {"restartCount", c.restarts},
           {"state", container_state_to_json(c.state)}};
  out["lastState"] = c.last ? container_state_to_json(*c.last) : json::object();
  if (c.pid != 0)
    out["containerID"] = "process://" + std::to_string(c.pid);
  return out;
}

json make_condition_keeping_time(const char* type, bool value,
                                 const char* reason, const json& before,
                                 time_point now) {
  json out{{"type", type},
           {"status", value ? "True" : "False"},
           {"lastProbeTime", nullptr},
           {"lastTransitionTime", to_rfc3339(now)}};
  if (*reason)
    out["reason"] = reason;
  if (auto* list = find_value(before, {"conditions"}); list && list->is_array())
    for (const auto& old : *list)
      if (text_at(old, {"type"}) == type
          && text_at(old, {"status"}) == text_at(out, {"status"}))
        out["lastTransitionTime"] = text_at(old, {"lastTransitionTime"});
  return out;
}

json make_pod_conditions(const pod_runtime_status& v, const json& before,
                         time_point now) {
  bool ready =
      !v.is_terminal() && !v.containers.empty()
      && std::all_of(v.containers.begin(), v.containers.end(), is_running)
      && std::all_of(
          v.init_containers.begin(), v.init_containers.end(),
          [](const auto& c) { return !c.is_sidecar || is_running(c); });
  const char* unready = v.phase == "Succeeded" ? "PodCompleted"
                        : v.phase == "Failed"  ? "PodFailed"
                                               : "ContainersNotReady";
  const char* why = ready ? "" : unready;
  return {
      make_condition_keeping_time("PodScheduled", true, "", before, now),
      make_condition_keeping_time(
          "Initialized", v.initialized,
          v.initialized ? "" : "ContainersNotInitialized", before, now),
      make_condition_keeping_time("ContainersReady", ready, why, before, now),
      make_condition_keeping_time("Ready", ready, why, before, now)};
}

} // namespace

json make_pod_status(const pod_runtime_status& v, const json& before,
                     time_point now) {
  json out{{"phase", v.phase},
           {"hostIP", v.host_address},
           {"podIP", v.pod_address},
           {"podIPs", json::array({{{"ip", v.pod_address}}})},
           {"startTime", to_rfc3339(v.started)},
           {"qosClass", "BestEffort"},
           {"conditions", make_pod_conditions(v, before, now)}};
  for (const auto& c : v.containers)
    out["containerStatuses"].push_back(container_status_to_json(c, false));
  for (const auto& c : v.init_containers)
    out["initContainerStatuses"].push_back(container_status_to_json(c, true));
  if (!v.reason.empty())
    out["reason"] = v.reason;
  if (!v.message.empty())
    out["message"] = v.message;
  return out;
}

json make_unschedulable_status(const std::string& reason,
                               const std::string& why, time_point now) {
  json condition{
      {"type", "PodScheduled"},   {"status", "False"},
      {"reason", reason},         {"message", why},
      {"lastProbeTime", nullptr}, {"lastTransitionTime", to_rfc3339(now)}};
  return {{"phase", "Pending"}, {"conditions", json::array({condition})}};
}

std::string compute_pod_phase(const pod_runtime_status& v,
                              const std::vector<bool>& containers_finished) {
  auto failed = [](const container_runtime_status& c) {
    return c.state.now == container_state::kind::terminated
           && c.state.exit_code != 0;
  };
  auto begun = [](const container_runtime_status& c) {
    return c.pid != 0 || c.last
           || c.state.now != container_state::kind::waiting;
  };
  const auto& all = v.containers;
  if (!containers_finished.empty()
      && std::all_of(containers_finished.begin(), containers_finished.end(),
                     [](bool d) { return d; }))
    return std::any_of(all.begin(), all.end(), failed) ? "Failed" : "Succeeded";
  return v.initialized && std::any_of(all.begin(), all.end(), begun)
             ? "Running"
             : "Pending";
}

bool should_restart(const std::string& policy, int exit_code) {
  return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

std::chrono::milliseconds restart_back_off(int crash_count,
                                           std::chrono::milliseconds base) {
  if (crash_count <= 1)
    return std::chrono::milliseconds{0};
  std::chrono::milliseconds longest = base * 30;
  std::chrono::milliseconds doubled =
      base * (1 << std::min(crash_count - 2, 10));
  return std::min(doubled, longest);
}

bool ran_long_enough_to_reset_back_off(std::chrono::system_clock::duration ran,
                                       std::chrono::milliseconds base) {
  return ran >= base * 60;
}

} // namespace troupe::k8s::node
