#include "frameworks/core/pass/completed_replicas.hpp"

#include "frameworks/core/model/recovery_json.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

bool has_type(const job& j, const std::string& name) {
  return std::any_of(j.replicas.begin(), j.replicas.end(),
                     [&](const auto& type) { return type.type == name; });
}

} // namespace

void record_completed_replicas(reconcile_context& ctx) {
  std::optional<recovery_status> changed;
  for (const auto& [name, done] : ctx.status().recovery->completed)
    if (!has_type(ctx.job, name)) {
      if (!changed)
        changed = *ctx.status().recovery;
      changed->completed.erase(name);
    }
  for (const auto& [name, attempt] : ctx.status().recovery->type_attempts)
    if (!has_type(ctx.job, name)) {
      if (!changed)
        changed = *ctx.status().recovery;
      changed->type_attempts.erase(name);
    }
  for (const auto& type : ctx.children.types) {
    const auto& name = type.spec->type;
    for (const auto& state : type.slots) {
      if (!state.pod || state.pod->phase != k8s::pod_phase::succeeded
          || state.pod->terminating
          || ctx.status().recovery->completed_of(name).contains(state.at.index))
        continue;
      if (!changed)
        changed = *ctx.status().recovery;
      changed->completed[name].insert(state.at.index);
    }
  }
  if (!changed)
    return;
  // Else what is wanted would never be what is saved.
  keep_writable_completed(*changed);
  if (*changed != *ctx.status().recovery)
    ctx.status().recovery = std::move(*changed);
}

bool is_completed(const reconcile_context& ctx, const replica_spec& type,
                  std::int32_t index) {
  return ctx.status().recovery->completed_of(type.type).contains(index);
}

std::int32_t count_completed_without_pod(const reconcile_context& ctx,
                                         const replica_type_view& type) {
  const auto& completed = ctx.status().recovery->completed_of(type.spec->type);
  if (completed.is_empty())
    return 0;
  std::int32_t count = 0;
  for (const auto& state : type.slots)
    count += !state.pod && completed.contains(state.at.index) ? 1 : 0;
  return count;
}

void forget_completed_replicas(job_status& s) {
  if (s.recovery->completed.empty())
    return;
  auto recovery = *s.recovery;
  recovery.completed.clear();
  s.recovery = std::move(recovery);
}

} // namespace troupe::core
