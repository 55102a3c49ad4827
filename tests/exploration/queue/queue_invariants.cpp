#include "tests/exploration/queue/queue_invariants.hpp"

#include "tests/exploration/truth.hpp"

#include <algorithm>

namespace troupe::exploration {

namespace {

/// Those that may have quota: one whose creation was under way when its process
/// died counts for nothing.
int live_pods(const world& w) {
  return static_cast<int>(
      std::count_if(w.pods.begin(), w.pods.end(), [](const pod& p) {
        return !p.has_ended() && !p.came_late;
      }));
}

void check_no_live_pods(world& w, const char* how) {
  if (auto live = live_pods(w); live > 0)
    violate(w, std::string{how} + " the Workload beside " + std::to_string(live)
                   + " live pods");
}

} // namespace

void check_workload(world& w, const workload_body& after, bool late) {
  const auto* before = w.work.body;
  if (late || !before->holds_quota())
    return;
  if (!after.reserved)
    check_no_live_pods(w, "releases");
  if (after.finished)
    check_no_live_pods(w, "finishes");
  if (before->guarded && !after.guarded)
    check_no_live_pods(w, "lets go");
}

void check_removal_of_workload(world& w, bool late) {
  if (!late && w.work.body->guarded)
    violate(w, "deletes a Workload that has quota");
}

void check_spec(world& w, const job_spec& after, bool late) {
  if (after.suspended && !after.is_as_written)
    violate(w, "holds the job with other templates than were written");
  bool has_quota = w.work.body && w.work.body->holds_quota();
  if (!after.suspended && !has_quota && !late)
    violate(w, "starts the job, and nothing is granted");
}

void check_quota_of(world& w, const pod& created) {
  bool has_quota = w.work.body && w.work.body->holds_quota();
  if (w.s->is_queued() && !has_quota && !created.came_late)
    violate(w, "makes " + name_of(*w.s, created) + ", and nothing is granted");
}

void check_queue_end(world& w) {
  const auto* b = w.work.body;
  bool ended = w.job.status->is_finished();
  if (b && b->guarded && (ended || w.work.deleting))
    violate(w, "keeps the Workload of a job that has ended, or a deleted one");
  if (b && ended && !b->finished)
    violate(w, "has ended, and its Workload has not");
  if (ended)
    return;
  if (!b)
    return violate(w, "waits, and asks for no quota");
  if (b->finished)
    return violate(w, "goes on with a Workload that has ended");
  if (!b->active && (!w.job.suspended() || !w.pods.empty()))
    violate(w, "is not active, and goes on");
  if (b->reserved && b->evicted)
    violate(w, "an evicted Workload keeps its quota");
  if (!b->active)
    return;
  if (!b->admitted || w.job.suspended())
    violate(w, "is not started, though it is admitted");
}

bool knows_of_no_quota(const operator_process& p) {
  const auto& all =
      p.memory.observed().children_of_kind(core::child_kind::workload);
  return std::none_of(all.begin(), all.end(), [](const auto& v) {
    return v.content->workload->lets_pods_run() && !v.terminating;
  });
}

} // namespace troupe::exploration
