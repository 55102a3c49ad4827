#include "frameworks/core/recovery/lost_nodes.hpp"

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

using std::chrono::milliseconds;

/// However short the period is, a node is not read more often.
constexpr milliseconds least_between_reads{10'000};
/// One job's nodes must not take the calls of all.
constexpr std::size_t most_reads_in_pass = 10;
constexpr milliseconds wait_for_more_reads{1'000};

bool is_of_job(const child_view& pod, const observed_children& seen) {
  // The Job of an attempt that is over may be gone before its pod.
  return pod.owned || is_launcher_pod(pod, seen)
         || (pod.terminating && !(pod.made_by_job == uid_key{}));
}

/// Nobody waits for the end of one that has ended, unless it holds its name.
bool holds_a_place(const child_view& pod, bool job_finished) {
  return pod.terminating || (!job_finished && !pod.is_finished());
}

bool has_node_in_doubt(const child_view& pod) {
  return pod.trouble && !pod.trouble->node.empty()
         && (pod.trouble->node_silent_since != time_point{} || pod.terminating);
}

/// Whether what was read of the node tells of this pod: it was read after the
/// period, and not long ago.
bool is_current(const node_reading& node, time_point lost_at, time_point now,
                milliseconds between_reads) {
  return node.read_at >= lost_at && node.read_at <= now
         && now < node.read_at + between_reads;
}

struct finder {
  const known_nodes& nodes;
  time_point now;
  milliseconds period;
  lost_node_step& step;
  std::set<std::string> asked = {};

  milliseconds between_reads() const {
    return std::max(period, least_between_reads);
  }

  void look_again(time_point at) {
    if (!step.look_again_at || at < *step.look_again_at)
      step.look_again_at = at;
  }

  void read(const std::string& node, const std::string& pod) {
    if (now < nodes.blocked_until())
      return look_again(nodes.blocked_until());
    if (step.reads.size() >= most_reads_in_pass && asked.count(node) == 0)
      return look_again(now + wait_for_more_reads);
    if (asked.insert(node).second)
      step.reads.push_back({node, "pod " + pod + " may be lost with it"});
  }

  void look_at(const child_view& pod) {
    auto lost_at = lost_at_if_node_stays_silent(pod, period);
    if (!lost_at)
      return;
    if (now < *lost_at)
      return look_again(*lost_at);
    const auto& name = pod.trouble->node;
    const auto* node = nodes.find(name);
    if (node && node->in_flight)
      return;
    if (!node || !is_current(*node, *lost_at, now, between_reads()))
      return read(name, pod.name);
    if (node->why_lost.empty())
      return look_again(node->read_at + between_reads());
    step.lost.push_back(
        {&pod, "its node " + name + " is lost: " + node->why_lost});
  }
};

} // namespace

milliseconds lost_node_period(const job& j, const cluster_options& cluster) {
  if (!j.kind->pods.keeps_trouble)
    return milliseconds{0};
  const auto& own = j.failure_policy_or_default().lost_node_period;
  return own ? milliseconds{*own} : cluster.lost_node_period;
}

std::optional<time_point> lost_at_if_node_stays_silent(const child_view& pod,
                                                       milliseconds period) {
  if (!has_node_in_doubt(pod) || pod.removed_at_once)
    return std::nullopt;
  std::optional<time_point> result;
  if (pod.trouble->node_silent_since != time_point{})
    result = pod.trouble->node_silent_since + period;
  if (pod.terminating && pod.leaves_by != time_point{}) {
    auto end = pod.leaves_by + period;
    result = std::min(result.value_or(end), end);
  }
  return result;
}

bool lost_node_step::is_lost(const child_view& pod) const {
  return std::any_of(lost.begin(), lost.end(),
                     [&](const auto& l) { return l.pod->uid == pod.uid; });
}

lost_node_step find_lost_pods(const job& j, const observed_children& seen,
                              const cluster_options& cluster, bool finished,
                              time_point now) {
  lost_node_step step;
  auto period = lost_node_period(j, cluster);
  if (period <= milliseconds{0})
    return step;
  finder f{seen.nodes(), now, period, step};
  for (const auto& pod : seen.pods())
    if (is_of_job(pod, seen) && holds_a_place(pod, finished)
        && !pod.delete_in_flight)
      f.look_at(pod);
  return step;
}

std::set<std::string> nodes_in_doubt(const observed_children& seen) {
  std::set<std::string> result;
  for (const auto& pod : seen.pods())
    if (has_node_in_doubt(pod))
      result.insert(pod.trouble->node);
  return result;
}

} // namespace troupe::core
