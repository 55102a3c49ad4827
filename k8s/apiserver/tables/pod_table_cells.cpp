#include "k8s/apiserver/tables/pod_table_cells.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/resources/pod_strategy.hpp"
#include "k8s/text.hpp"

#include <set>

namespace troupe::k8s::apiserver {

namespace {

bool has_true_condition(const json& pod, const char* type) {
  for (const auto& c : array_at(pod, {"status", "conditions"}))
    if (text_at(c, {"type"}) == type)
      return text_at(c, {"status"}) == "True";
  return false;
}

/// Of a container that has ended without a reason.
std::string describe_exit(const json& terminated) {
  if (auto signal = number_at(terminated, {"signal"}))
    return "Signal:" + std::to_string(signal);
  return "ExitCode:" + std::to_string(number_at(terminated, {"exitCode"}));
}

/// Restarts of containers, and when the last of them ended before.
struct restart_count {
  std::int64_t number = 0;
  std::string last; ///< RFC 3339: texts compare as times.

  void add_container(const json& container) {
    number += number_at(container, {"restartCount"});
    const auto& ended =
        text_at(container, {"lastState", "terminated", "finishedAt"});
    last = std::max(last, ended);
  }

  std::string format_cell(time_point now) const {
    auto out = std::to_string(number);
    auto at = from_rfc3339(last);
    if (number == 0 || !at)
      return out;
    auto ago = std::chrono::duration_cast<std::chrono::seconds>(now - *at);
    return out + " (" + human_duration(ago) + " ago)";
  }
};

/// Init containers that run beside the others.
std::set<std::string> names_of_sidecars(const json& pod) {
  std::set<std::string> names;
  for (const auto& c : array_at(pod, {"spec", "initContainers"}))
    if (text_at(c, {"restartPolicy"}) == "Always")
      names.insert(text_at(c, {"name"}));
  return names;
}

/// What is counted of init containers.
struct init_counts {
  restart_count restarts;
  restart_count restarts_of_sidecars;
  std::size_t ready_sidecars = 0;
};

/// "" if all init containers have succeeded, or run as sidecars.
std::string
summarize_init_containers_and_count(const json& pod,
                                    const std::set<std::string>& sidecars,
                                    init_counts& counts) {
  const auto& all = array_at(pod, {"status", "initContainerStatuses"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& c = all[i];
    counts.restarts.add_container(c);
    bool is_sidecar = sidecars.count(text_at(c, {"name"})) > 0;
    if (is_sidecar)
      counts.restarts_of_sidecars.add_container(c);
    if (is_sidecar && bool_at(c, {"started"})) {
      counts.ready_sidecars += bool_at(c, {"ready"}) ? 1 : 0;
      continue;
    }
    const auto& waiting = text_at(c, {"state", "waiting", "reason"});
    if (auto* ended = find_value(c, {"state", "terminated"})) {
      if (number_at(*ended, {"exitCode"}) == 0)
        continue;
      const auto& reason = text_at(*ended, {"reason"});
      return "Init:" + (reason.empty() ? describe_exit(*ended) : reason);
    }
    if (!waiting.empty() && waiting != "PodInitializing")
      return "Init:" + waiting;
    return "Init:" + std::to_string(i) + "/"
           + std::to_string(array_at(pod, {"spec", "initContainers"}).size());
  }
  return {};
}

/// Replaces `status` by what the containers say; returns how many are ready.
std::size_t set_status_and_count_ready_containers(const json& pod,
                                                  std::string& status,
                                                  restart_count& restarts) {
  std::size_t ready = 0;
  bool running = false;
  const auto& all = array_at(pod, {"status", "containerStatuses"});
  // From the last to the first, which has the last word.
  for (auto c = all.rbegin(); c != all.rend(); ++c) {
    restarts.add_container(*c);
    const auto& waiting = text_at(*c, {"state", "waiting", "reason"});
    auto* ended = find_value(*c, {"state", "terminated"});
    if (!waiting.empty()) {
      // In a pod that is over, it never began.
      if (!is_terminal_pod(pod))
        status = waiting;
    } else if (ended) {
      const auto& reason = text_at(*ended, {"reason"});
      status = reason.empty() ? describe_exit(*ended) : reason;
    } else if (bool_at(*c, {"ready"}) && find_value(*c, {"state", "running"})) {
      running = true;
      ++ready;
    }
  }
  if (status == "Completed" && running)
    status = has_true_condition(pod, "Ready") ? "Running" : "NotReady";
  return ready;
}

} // namespace

pod_summary summarize_pod(const json& pod, time_point now) {
  pod_summary out;
  out.status = text_at(pod, {"status", "reason"});
  if (out.status.empty())
    out.status = text_at(pod, {"status", "phase"});
  auto sidecars = names_of_sidecars(pod);
  init_counts counts;
  auto init = summarize_init_containers_and_count(pod, sidecars, counts);
  auto restarts = counts.restarts;
  auto ready = counts.ready_sidecars;
  if (!init.empty())
    out.status = init;
  if (init.empty() || has_true_condition(pod, "Initialized")) {
    restarts = counts.restarts_of_sidecars;
    ready += set_status_and_count_ready_containers(pod, out.status, restarts);
  }
  if (is_terminating(pod) && text_at(pod, {"status", "reason"}) == "NodeLost")
    out.status = "Unknown";
  else if (is_terminating(pod) && !is_terminal_pod(pod))
    out.status = "Terminating";
  out.ready = std::to_string(ready) + "/"
              + std::to_string(array_at(pod, {"spec", "containers"}).size()
                               + sidecars.size());
  out.restarts = restarts.format_cell(now);
  return out;
}

json ended_pod_row_conditions_or_null(const json& pod) {
  const auto& phase = text_at(pod, {"status", "phase"});
  if (!is_terminal_pod(pod))
    return nullptr;
  return json::array({{{"type", "Completed"},
                       {"status", "True"},
                       {"reason", phase},
                       {"message", phase == "Failed" ? "The pod failed."
                                                     : "The pod has completed "
                                                       "successfully."}}});
}

} // namespace troupe::k8s::apiserver
