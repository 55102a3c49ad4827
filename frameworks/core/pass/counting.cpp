#include "frameworks/core/pass/counting.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/completed_replicas.hpp"
#include "frameworks/core/pass/lost_pods.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

bool are_all_replicas_active(const reconcile_context& ctx) {
  std::int64_t active = 0;
  for (const auto& [type, counts] : ctx.status().replicas)
    active += counts.active;
  return active > 0 && active == ctx.job.total_replicas();
}

/// Whatever their place, by the label of their type.
std::map<std::string, std::int32_t>
count_running_pods_by_label(const observed_children& seen) {
  std::map<std::string, std::int32_t> result;
  for (const auto& pod : seen.pods())
    if (((pod.owned && pod.labels_match_job) || is_launcher_pod(pod, seen))
        && pod.phase == k8s::pod_phase::running)
      ++result[pod.at.type];
  return result;
}

/// Pods that still run while they are being stopped.
std::int32_t count_running_pods_of_older_attempts(const reconcile_context& ctx,
                                                  const replica_spec& type) {
  std::int32_t count = 0;
  for (const auto* pod : ctx.children.of_older_attempts)
    count += pod->at.type == type.label && pod->at.index < type.replicas
                     && pod->phase == k8s::pod_phase::running
                 ? 1
                 : 0;
  return count;
}

} // namespace

replica_status count_replicas(const replica_type_view& type) {
  replica_status result;
  for (const auto& state : type.slots) {
    if (!state.pod)
      continue;
    switch (state.pod->phase) {
    case k8s::pod_phase::running:
      result.active += state.pod->is_leaving() ? 0 : 1;
      break;
    case k8s::pod_phase::succeeded:
      ++result.succeeded;
      break;
    case k8s::pod_phase::failed:
      result.failed += state.pod->is_excused() ? 0 : 1;
      break;
    case k8s::pod_phase::pending:
    case k8s::pod_phase::unknown:
      break;
    }
  }
  return result;
}

void update_replica_counts_and_add_event(reconcile_context& ctx) {
  bool ran_before = are_all_replicas_active(ctx);
  std::map<std::string, replica_status> fresh;
  for (const auto& type : ctx.children.types) {
    auto counts = count_replicas(type);
    counts.succeeded += count_completed_without_pod(ctx, type);
    counts.active += count_running_pods_of_older_attempts(ctx, *type.spec);
    counts.active -= count_lost_pods_replaced_alone(ctx, type);
    if (ctx.job.kind->pods.writes_status_selector)
      counts.selector = replica_type_selector(ctx.job, type.spec->label);
    fresh.emplace(type.spec->type, std::move(counts));
  }
  for (const auto& [type, counts] : ctx.status().replicas)
    ctx.failed_before[type] = counts.failed;
  ctx.status().replicas = std::move(fresh);
  const char* words = message_templates_for(ctx.job).all_running;
  if (*words != '\0' && !ran_before && are_all_replicas_active(ctx))
    ctx.add_event(false, "Running", fill_template(words, ctx.job));
}

void set_counts_of_stopping_replicas(reconcile_context& ctx,
                                     const observed_children& seen) {
  auto running = count_running_pods_by_label(seen);
  auto& all = ctx.status().replicas;
  for (auto& [type, counts] : all) {
    auto selector = std::move(counts.selector);
    counts = {};
    counts.selector = std::move(selector);
  }
  for (const auto& type : ctx.job.replicas)
    if (auto i = running.find(type.label); i != running.end())
      all[type.type].active = i->second;
}

void lower_counts_of_deleted_job(job_status& s, const job& j,
                                 const observed_children& seen) {
  if (s.is_finished() || !j.kind->pods.keeps_trouble)
    return;
  auto running = count_running_pods_by_label(seen);
  for (const auto& type : j.replicas)
    if (auto i = s.replicas.find(type.type); i != s.replicas.end())
      i->second.active = std::min(i->second.active, running[type.label]);
}

void finalize_replica_counts(job_status& s, clean_pod_policy clean) {
  bool failed = s.is_condition_true(condition_type::failed);
  if (failed && clean == clean_pod_policy::none)
    return;
  for (auto& [type, counts] : s.replicas) {
    counts.succeeded += failed ? 0 : counts.active;
    counts.active = 0;
  }
}

} // namespace troupe::core
