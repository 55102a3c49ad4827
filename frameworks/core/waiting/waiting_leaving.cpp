#include "frameworks/core/waiting/waiting_leaving.hpp"

#include "frameworks/core/recovery/lost_nodes.hpp"
#include "frameworks/core/waiting/reason_parts.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

using optional_reason = std::optional<waiting_reason>;

bool is_node_silent(const child_view& p) {
  return p.trouble && p.trouble->node_silent_since != time_point{}
         && (p.terminating || !p.is_finished());
}

std::string human_time_since(time_point since, time_point now) {
  return k8s::human_duration(
      std::chrono::duration_cast<std::chrono::seconds>(now - since));
}

/// Without a period nothing is done about it.
void add_wait_for_kubelet(waiting_reason& r) {
  r.then = "without lost-node-period it is replaced only when the node "
           "confirms its end";
  r.whose_move = mover::cluster;
  r.who = "the kubelet of its node; a person if the node does not come back";
}

void add_wait_for_right(waiting_reason& r) {
  r.then = "the operator may not read nodes, so the pod is left as it is";
  r.whose_move = mover::person;
  r.who = "a person, who grants the operator `get` of nodes";
}

void add_replacement(waiting_reason& r, const waiting_inputs& in,
                     time_point lost_at) {
  r.whose_move = mover::this_operator;
  r.who = "the operator, unless the node comes back";
  if (in.now < lost_at) {
    r.then = "the pod is replaced at " + k8s::to_rfc3339(lost_at);
    r.until = lost_at;
  } else {
    r.then = "the pod is replaced as soon as its node, too, says so";
  }
}

/// Pods that have to end before the job is suspended.
pod_list stopping_pods(const waiting_inputs& in) {
  return pods_where(in, [&](const child_view& p) {
    return !p.is_finished() && p.is_leaving();
  });
}

} // namespace

optional_reason waiting_for_silent_nodes(const waiting_inputs& in) {
  auto pods = pods_where(in, is_node_silent);
  if (pods.empty() || !in.wanted)
    return {};
  const auto& pod = **std::min_element(
      pods.begin(), pods.end(), [](const auto* a, const auto* b) {
        return a->trouble->node_silent_since < b->trouble->node_silent_since;
      });
  auto r = reason_of("news of " + first_and_others(pods), the_operator);
  r.details = "its node " + pod.trouble->node + " has not reported for "
              + human_time_since(pod.trouble->node_silent_since, in.now);
  r.since = pod.trouble->node_silent_since;
  auto period = lost_node_period(*in.wanted, in.cluster);
  auto lost_at = lost_at_if_node_stays_silent(pod, period);
  if (period.count() == 0 || !lost_at)
    add_wait_for_kubelet(r);
  else if (in.seen.nodes().is_refused())
    add_wait_for_right(r);
  else
    add_replacement(r, in, *lost_at);
  return r;
}

optional_reason waiting_for_stopping_pods(const waiting_inputs& in) {
  if (!in.wanted || !in.wanted->policy.suspend)
    return {};
  auto pods = stopping_pods(in);
  if (pods.empty())
    return {};
  if (auto silent = waiting_for_silent_nodes(in))
    return silent;
  auto all = std::max<std::int64_t>(in.wanted->total_replicas(),
                                    static_cast<std::int64_t>(pods.size()));
  auto last = time_point{};
  for (const auto* p : pods)
    last = std::max(last, p->leaves_by);
  auto r = reason_of("stopping", {mover::cluster, "the kubelet"});
  r.details = std::to_string(pods.size()) + " of " + pluralize(all, "pod")
              + (pods.size() == 1 ? " still runs" : " still run");
  if (last != time_point{})
    r.details += ", the last may take until " + k8s::to_rfc3339(last);
  return r;
}

} // namespace troupe::core
