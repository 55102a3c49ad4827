#include "frameworks/core/waiting/waiting_restart.hpp"

#include "frameworks/core/observed/classify.hpp"
#include "frameworks/core/recovery/restart_progress.hpp"
#include "frameworks/core/waiting/reason_parts.hpp"
#include "frameworks/core/waiting/waiting_calls.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

using optional_reason = std::optional<waiting_reason>;

std::string name_of_attempt(const restart_progress& p) {
  return "attempt " + std::to_string(p.attempt);
}

/// "the kubelet of node n1", "the kubelets of n1 and 2 other nodes".
std::string kubelets_of(const std::vector<std::string>& nodes) {
  if (nodes.empty())
    return "the kubelets of its pods";
  if (nodes.size() == 1)
    return "the kubelet of node " + nodes.front();
  return "the kubelets of " + nodes.front() + " and "
         + pluralize(static_cast<std::int64_t>(nodes.size() - 1), "other node");
}

optional_reason waiting_for_record(const waiting_inputs& in,
                                   const restart_progress& p) {
  if (auto failed = waiting_for_failed_status_write(in))
    return failed;
  return reason_of(name_of_attempt(p) + " to be recorded in its status",
                   {mover::cluster, "the API server"});
}

optional_reason waiting_for_older_pods(const restart_progress& p) {
  auto r = reason_of("the pods before " + name_of_attempt(p) + " to be gone",
                     {mover::cluster, ""});
  r.details = describe_progress_of_restart(p);
  r.who = p.older_running + p.older_ended > 0 ? kubelets_of(p.nodes)
                                              : "the API server";
  return r;
}

/// Pods of older attempts that nobody has asked to go: the operator is about
/// to.
optional_reason waiting_for_deletions(const restart_progress& p) {
  auto r = reason_of("the pods before " + name_of_attempt(p) + " to be deleted",
                     the_operator);
  r.details = describe_progress_of_restart(p);
  return r;
}

optional_reason waiting_for_start_of_attempt(const waiting_inputs& in,
                                             const restart_progress& p) {
  if (!p.starts_at)
    return {};
  auto r = reason_of(
      name_of_attempt(p) + " to begin",
      {mover::this_operator,
       "the operator, after its back-off; a person if the program is wrong"},
      "at " + k8s::to_rfc3339(*p.starts_at));
  r.details = "attempts ended shortly after their start, "
              + once_or_n_times(in.status.recovery->last.early_ends)
              + " in a row";
  r.until = p.starts_at;
  return r;
}

} // namespace

optional_reason waiting_for_restart(const waiting_inputs& in) {
  const auto& wanted = *in.status.recovery;
  if (!in.wanted || in.wanted->policy.suspend || wanted.attempt == 0)
    return {};
  auto children = classify_children(*in.wanted, in.seen, wanted);
  auto p =
      progress_of_restart({*in.wanted, children, in.open, wanted,
                           in.saved ? *in.saved->recovery : wanted, in.now});
  optional_reason r;
  switch (p.stage) {
  case restart_stage::none:
  case restart_stage::starting:
    return {};
  case restart_stage::decided:
    r = waiting_for_record(in, p);
    break;
  case restart_stage::saved:
    r = waiting_for_deletions(p);
    break;
  case restart_stage::stopping:
    r = waiting_for_older_pods(p);
    break;
  case restart_stage::stopped:
    r = waiting_for_start_of_attempt(in, p);
    break;
  }
  if (r)
    r->since = wanted.last.time;
  return r;
}

optional_reason waiting_for_stop_before_resume(const waiting_inputs& in) {
  if (!in.wanted || in.wanted->policy.suspend
      || !in.wanted->failure_policy_or_default().may_restart_beyond_pod()
      || !in.status.is_condition_true(condition_type::suspended))
    return {};
  auto pods = pods_where(in, [](const child_view&) { return true; });
  if (pods.empty())
    return {};
  time_point last{};
  bool known = true;
  for (const auto* p : pods) {
    known = known && p->leaves_by != time_point{};
    last = std::max(last, p->leaves_by);
  }
  auto r = reason_of(
      "its pods of before the suspension to be gone, so that no two runs meet",
      {mover::cluster, "the kubelet"});
  r.details = pluralize(static_cast<std::int64_t>(pods.size()), "pod")
              + (pods.size() == 1 ? " is" : " are") + " left"
              + last_end_clause(known ? last : time_point{});
  r.then = "then it is resumed";
  return r;
}

} // namespace troupe::core
