#include "frameworks/di/clean_up.hpp"

#include "frameworks/core/json.hpp"
#include "frameworks/di/dijob_services.hpp"

namespace troupe::frameworks::di {

using namespace core;

namespace {

bool is_removed_under_running(const child_view& pod) {
  bool going_on = pod.phase == k8s::pod_phase::running
                  || pod.phase == k8s::pod_phase::pending;
  bool ended = pod.exit_code || (pod.details && pod.details->crash_looping);
  return going_on && !ended;
}

} // namespace

clean_pod_policy read_clean_policy(const json& spec) {
  auto text = text_at(spec, {"cleanPodPolicy"});
  if (text.empty() || text == "Running")
    return clean_pod_policy::running;
  return text == "All" ? clean_pod_policy::all : clean_pod_policy::none;
}

void clean_up(reconcile_context& p, const observed_children& seen) {
  const char* why = "the job has finished";
  delete_all_services(p, seen, why);
  for (const auto& [uid, pod] : seen.pods()) {
    bool removed = p.j.policy.clean == clean_pod_policy::all
                   || (p.j.policy.clean == clean_pod_policy::running
                       && is_removed_under_running(pod));
    if (removed && pod.labels_match_job)
      p.plan_delete(child_kind::pod, pod, why);
  }
}

} // namespace troupe::frameworks::di
