#include "frameworks/core/waiting/queue_standing.hpp"

#include "frameworks/core/pass/queueing.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

std::int32_t sum_of(const std::vector<pod_set_count>& all) {
  std::int32_t sum = 0;
  for (const auto& one : all)
    sum += one.count;
  return sum;
}

void describe_held(queue_standing& s, const waiting_inputs& in,
                   const queue_view& v, const workload_state& w) {
  s.held_pods = in.wanted->total_replicas();
  if (!v.held_because.empty()) { // What Kueue said last counts no more.
    s.why = v.held_because;
    return;
  }
  bool reserved = w.is(w.quota_reserved);
  if (reserved)
    s.why = w.check_message;
  else if (!w.active && w.is(w.evicted))
    s.why = w.evicted->message;
  else if (w.quota_reserved)
    s.why = w.quota_reserved->message;
  if (w.quota_reserved)
    s.since = w.quota_reserved->since;
  if (!reserved)
    s.news = in.supervisor.queue;
}

void describe_admitted(queue_standing& s, const waiting_inputs& in,
                       const queue_view& v, const workload_state& w) {
  s.at = queue_standing::phase::admitted;
  s.since = w.admitted->since;
  if (!v.second)
    return;
  s.held_pods = std::max(in.wanted->total_replicas() - sum_of(w.granted), 0);
  const auto& wish = *v.second->content->workload;
  if (!v.held_because.empty())
    s.why = v.held_because;
  else if (wish.quota_reserved && !wish.quota_reserved->is_true)
    s.why = wish.quota_reserved->message;
}

} // namespace

const char* to_string(queue_standing::phase p) {
  using phase = queue_standing::phase;
  return p == phase::held       ? "held"
         : p == phase::leaving  ? "leaving"
         : p == phase::admitted ? "admitted"
                                : "ended";
}

std::optional<queue_standing> find_queue_standing(const waiting_inputs& in) {
  using phase = queue_standing::phase;
  if (!in.wanted)
    return {};
  auto v = look_at_queue(*in.wanted, in.seen, in.open,
                         in.saved ? *in.saved : in.status, in.now, in.cluster);
  if (!v)
    return {};
  queue_standing s;
  s.queue = in.wanted->queue;
  if (!v->workload) {
    s.at = v->ended ? phase::ended : phase::held;
    s.held_pods = v->ended ? 0 : in.wanted->total_replicas();
    s.why = v->held_because;
    return s;
  }
  const auto& w = *v->workload->content->workload;
  if (s.queue.empty())
    s.queue = w.queue;
  s.workload = v->workload->name;
  if (w.holds_quota())
    s.cluster_queue = w.cluster_queue;
  bool leaves = v->workload->terminating || w.is(w.evicted) || v->ended;
  if (leaves && w.keeps_quota && w.holds_quota())
    s.pods_with_quota = v->live_pods;
  if (v->ended) {
    s.at = phase::ended;
  } else if (v->workload->terminating
             || (w.is(w.evicted) && w.is(w.quota_reserved))) {
    s.at = phase::leaving;
    s.held_pods = in.wanted->deleting ? 0 : in.wanted->total_replicas();
    if (w.is(w.evicted)) {
      s.since = w.evicted->since;
      s.why = w.evicted->message;
    }
  } else if (w.lets_pods_run()) {
    describe_admitted(s, in, *v, w);
  } else {
    s.since = v->workload->created;
    describe_held(s, in, *v, w);
  }
  return s;
}

} // namespace troupe::core
