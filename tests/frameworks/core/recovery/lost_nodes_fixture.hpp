#pragma once

#include "frameworks/core/recovery/lost_nodes.hpp"
#include "tests/fixtures/builders.hpp"

namespace troupe::fixtures {

/// A node whose condition Ready has this status.
inline k8s::node_state node_that_is(const char* ready) {
  return {ready, {}};
}

/// A job of two workers on node n0 and n1, which are lost after a minute.
struct lost_nodes_fixture : job_fixture {
  core::cluster_options cluster{};

  explicit lost_nodes_fixture(core::job job = make_job().workers(2))
      : job_fixture(std::move(job)) {
    cluster.lost_node_period = std::chrono::minutes{1};
    all_services();
    for (int i : {0, 1})
      place(pod("worker", i).running());
  }

  /// Observes it on the node of its index.
  void place(child_builder p) {
    auto o = p.object(j);
    const auto& name = o.meta.name;
    auto& state = std::get<k8s::pod_state>(o.state);
    state.node = std::string{"n"} + name.back();
    record_seen(seen, core::child_kind::pod, o, j);
  }

  core::child_view& view(const std::string& uid) {
    auto i = seen.pods().find(core::uid_key{uid});
    return const_cast<core::child_view&>(*i);
  }

  /// Its node has not reported since then.
  void silence(int worker, k8s::time_point since = base_time) {
    auto& v = view("pod-worker-" + std::to_string(worker));
    auto t = std::make_shared<core::pod_trouble>();
    t->node = "n" + std::to_string(worker);
    t->node_silent_since = since;
    v.trouble = std::move(t);
  }

  /// It is being deleted, with this end of its grace period.
  void stop(int worker, k8s::time_point leaves_by) {
    auto uid = "pod-worker-" + std::to_string(worker);
    if (!view(uid).trouble)
      silence(worker, {});
    view(uid).terminating = true;
    view(uid).leaves_by = leaves_by;
  }

  core::lost_node_step step(bool finished = false) const {
    return find_lost_pods(j, seen, cluster, finished, now);
  }

  /// "read n0", "lost job-worker-0", "look again in 60s", joined.
  std::string answer(bool finished = false) const {
    auto s = step(finished);
    std::string out;
    for (const auto& r : s.reads)
      out += "read " + r.name + " ";
    for (const auto& l : s.lost)
      out += "lost " + l.pod->name + " ";
    if (s.look_again_at)
      out += "in "
             + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(
                                  *s.look_again_at - now)
                                  .count());
    return out;
  }

  /// All nodes that are to be read are, and are like this; nullptr: gone.
  void read_all(const k8s::node_state* node) {
    for (const auto& r : step().reads) {
      seen.nodes().note_read_sent(r.name, now);
      seen.nodes().record_read(r.name, node);
    }
  }

  const core::plan_result& pass() {
    last = core::plan(j, seen, open, status, saved, now, cluster);
    status = last.status;
    return last;
  }
};

} // namespace troupe::fixtures
