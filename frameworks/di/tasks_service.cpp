#include "frameworks/di/tasks_service.hpp"

#include "frameworks/di/tasks_pods.hpp"

namespace troupe::frameworks::di::tasks {

using namespace core;

void reconcile_service(reconcile_context& p, const observed_children& seen) {
  const auto name = service_name(p.j.name);
  bool there = false;
  for (const auto& [uid, service] : seen.services()) {
    if (!service.labels_match_job)
      continue;
    if (service.name != name) {
      p.plan_delete(child_kind::service, service,
                    "the job has one service, of another name");
      continue;
    }
    there = true; // A terminating one keeps the name until it is gone.
    p.plan_adopt(child_kind::service, service, "it is the job's service");
  }
  if (there)
    return;
  create_child wanted{child_kind::service, {}, "the job has no service"};
  wanted.name = name;
  wanted.body = make_service(p.j);
  p.plan_create(std::move(wanted));
}

} // namespace troupe::frameworks::di::tasks
