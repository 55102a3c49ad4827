#include "frameworks/di/base/clean_up.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/di/base/dijob_services.hpp"

namespace troupe::frameworks::di {

using namespace core;

namespace {

bool is_deleted_with_policy_running(const child_view& pod) {
  bool going_on = pod.phase == k8s::pod_phase::running
                  || pod.phase == k8s::pod_phase::pending;
  bool ended = pod.exit_code || (pod.details && pod.details->crash_looping);
  return going_on && !ended;
}

} // namespace

clean_pod_policy read_di_clean_pod_policy(const json& spec) {
  auto text = text_at(spec, {"cleanPodPolicy"});
  if (text.empty() || text == "Running")
    return clean_pod_policy::running;
  return text == "All" || text == "ALL" ? clean_pod_policy::all
                                        : clean_pod_policy::none;
}

void delete_children_of_finished_job(reconcile_context& ctx,
                                     const observed_children& seen) {
  const char* why = "the job has finished";
  delete_services_with_job_labels(ctx, seen, why);
  for (const auto& pod : seen.pods()) {
    bool removed = ctx.job.policy.clean == clean_pod_policy::all
                   || (ctx.job.policy.clean == clean_pod_policy::running
                       && is_deleted_with_policy_running(pod));
    if (removed && pod.labels_match_job)
      ctx.plan_deletion_unless_blocked(child_kind::pod, pod, why);
  }
}

} // namespace troupe::frameworks::di
