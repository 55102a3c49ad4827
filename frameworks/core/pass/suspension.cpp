#include "frameworks/core/pass/suspension.hpp"

#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/pass/adoption.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "frameworks/core/pass/cleanup.hpp"
#include "frameworks/core/pass/completed_replicas.hpp"
#include "frameworks/core/pass/counting.hpp"

namespace troupe::core {

void suspend_job(reconcile_context& ctx, const observed_children& seen) {
  plan_release_of_mislabelled_children(ctx);
  delete_pods_and_services(ctx, seen, "the job is suspended");
  delete_undesired_auxiliary_for_suspend(ctx, seen);
  set_counts_of_stopping_replicas(ctx, seen);
  forget_completed_replicas(ctx.status());
  auto message = fill_template("{kind} {name} is suspended.", ctx.job);
  if (ctx.status().is_condition_true(condition_type::running))
    ctx.set_condition(condition_type::running, false, "Suspended", message);
  if (!ctx.status().is_condition_true(condition_type::suspended)) {
    ctx.set_condition(condition_type::suspended, true, "Suspended", message);
    ctx.add_event(false, "Suspended", message);
  }
}

void resume_job_if_suspended(reconcile_context& ctx) {
  if (!ctx.status().is_condition_true(condition_type::suspended))
    return;
  auto message = fill_template("{kind} {name} is resumed.", ctx.job);
  ctx.set_condition(condition_type::suspended, false, "Resumed", message);
  ctx.status().put_created_condition_last();
  ctx.status().start_time = truncate_to_seconds(ctx.now);
  ctx.add_event(false, "Resumed", message);
}

} // namespace troupe::core
