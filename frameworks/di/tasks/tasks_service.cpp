#include "frameworks/di/tasks/tasks_service.hpp"

#include "frameworks/core/observed/observed.hpp"
#include "frameworks/di/tasks/tasks_pods.hpp"

namespace troupe::frameworks::di::tasks {

using namespace core;

void reconcile_service(reconcile_context& ctx, const observed_children& seen) {
  const auto name = job_service_name(ctx.job.name);
  bool there = false;
  for (const auto& service : seen.services()) {
    if (!service.labels_match_job)
      continue;
    if (service.name != name) {
      ctx.plan_deletion_unless_blocked(
          child_kind::service, service,
          "the job has one service, of another name");
      continue;
    }
    there = true; // A terminating one keeps the name until it is gone.
    ctx.plan_adoption_unless_blocked(child_kind::service, service,
                                     "it is the job's service");
  }
  if (there)
    return;
  create_child wanted{child_kind::service, {}, "the job has no service"};
  wanted.name = name;
  wanted.body = make_service_json(ctx.job);
  ctx.plan_creation_unless_blocked(std::move(wanted));
}

} // namespace troupe::frameworks::di::tasks
