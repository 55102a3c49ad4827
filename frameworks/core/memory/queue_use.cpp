#include "frameworks/core/memory/queue_use.hpp"

namespace troupe::core {

queue_use find_queue_use(const job& j, const observed_children& seen,
                         const expectations& open, const job_status& saved,
                         time_point now, const cluster_options& cluster) {
  queue_use result;
  auto v = look_at_queue(j, seen, open, saved, now, cluster);
  if (!v)
    return result;
  result.queue = j.queue;
  if (!v->workload) {
    result.is_held = !v->ended && !j.deleting;
    result.held_since = now;
    return result;
  }
  const auto& w = *v->workload->content->workload;
  if (result.queue.empty())
    result.queue = w.queue;
  bool leaves = v->workload->terminating;
  if (w.keeps_quota && w.holds_quota() && (leaves || w.is(w.evicted))) {
    result.awaits_release = true;
    if (w.is(w.evicted))
      result.release_due = w.evicted->since;
  }
  if (v->ended || j.deleting)
    return result;
  if (w.lets_pods_run() && !leaves) {
    result.admitted_at = w.admitted->since;
    return result;
  }
  result.is_held = true;
  if (w.is(w.evicted) && w.is(w.quota_reserved))
    result.held_since = w.evicted->since;
  else
    result.held_since =
        w.quota_reserved ? w.quota_reserved->since : v->workload->created;
  return result;
}

} // namespace troupe::core
