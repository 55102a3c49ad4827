#include "frameworks/core/pod_news.hpp"

#include "frameworks/core/framework.hpp"

#include <algorithm>

namespace troupe::core {

using state_kind = k8s::container_status::state_kind;

namespace {

void add_troubles(std::vector<tell>& out, const std::string& pod,
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
latest(const std::vector<k8s::pod_condition>& conditions) {
  auto i = std::max_element(conditions.begin(), conditions.end(),
                            [](const auto& a, const auto& b) {
                              return a.last_transition < b.last_transition;
                            });
  return i == conditions.end() ? nullptr : &*i;
}

std::int32_t restart_sum(const std::vector<k8s::container_status>& containers) {
  std::int32_t sum = 0;
  for (const auto& c : containers)
    sum += std::max(c.restarts, 0);
  return sum;
}

bool exited_again(const child_view* before, const child_view& after) {
  return after.exit_code
         && (!before || before->exit_code != after.exit_code
             || before->restarts != after.restarts);
}

} // namespace

std::vector<tell> troubles(const std::string& pod,
                           const k8s::pod_state& state) {
  std::vector<tell> result;
  if (!state.containers.empty()) {
    add_troubles(result, pod, state.containers);
  } else if (!state.init_containers.empty()) {
    add_troubles(result, pod, state.init_containers);
  } else if (auto* c = latest(state.conditions);
             c && c->status != "True" && !c->reason.empty()) {
    result.push_back(
        {true, c->reason,
         "Error pod " + pod + " condition message: " + c->message});
  }
  return result;
}

void read_pod(child_view& view, const k8s::pod_state& state,
              const std::string& default_container) {
  view.phase = state.phase;
  view.scheduled = !state.node.empty();
  view.evicted = state.reason == "Evicted";
  view.restarts =
      restart_sum(state.containers) + restart_sum(state.init_containers);
  for (const auto& c : state.containers)
    if (c.name == default_container && c.state == state_kind::terminated)
      view.exit_code = c.exit_code;
  if (view.finished() || view.terminating)
    return;
  if (auto found = troubles(view.name, state); !found.empty()) {
    view.trouble_reason = std::move(found.front().reason);
    view.trouble_message = std::move(found.front().message);
  }
}

std::vector<tell> news(const job& of, const child_view* before,
                       const child_view& after, const k8s::pod_state& state) {
  std::vector<tell> result;
  if (!after.owned || after.at.index < 0 || of.policy.suspend)
    return result;
  if (of.kind->tells_exits && exited_again(before, after))
    result.push_back({false, "ExitedWithCode",
                      "Pod: " + of.ns + "." + after.name + " exited with code "
                          + std::to_string(*after.exit_code)});
  bool fresh = !before || before->trouble_reason != after.trouble_reason
               || before->trouble_message != after.trouble_message;
  if (!after.trouble_message.empty() && fresh)
    for (auto& t : troubles(after.name, state))
      result.push_back(std::move(t));
  return result;
}

} // namespace troupe::core
