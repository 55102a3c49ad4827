#include "k8s/node/pods/pod_binder.hpp"

#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/pods/gpus.hpp"
#include "k8s/node/pods/pod_status.hpp"

namespace troupe::k8s::node {

namespace {

/// A scheduler that is not here; "" if the pod wants the default one.
std::string unavailable_scheduler_name_or_empty(const json& pod) {
  auto name = text_at(pod, {"spec", "schedulerName"});
  return name == "default-scheduler" ? "" : name;
}

/// Whether nobody needs to be told: the pod was deleted or replaced, is being
/// deleted or has a node, which the watch shows; or this node ends.
bool needs_no_report(const failure& why) {
  return why.code == ec::not_found || why.code == ec::conflict
         || why.code == ec::cancelled;
}

} // namespace

pod_binder::pod_binder(node_client& client, const node_options& options,
                       std::function<std::size_t()> count_active_pods,
                       std::function<std::size_t()> count_free_gpus)
    : client_(client)
    , options_(options)
    , count_active_pods_(std::move(count_active_pods))
    , count_free_gpus_(std::move(count_free_gpus)) {}

std::string pod_binder::find_missing_room_reason(const json& pod) const {
  if (count_active_pods_() + binding_.size() >= options_.max_pods)
    return "0/1 nodes are available: 1 Too many pods.";
  auto requested = count_gpus_without_init_containers(pod);
  for (const auto& [uid, gpus] : binding_)
    requested += gpus;
  // A pod that asks for more than there are is told so when it starts.
  if (count_gpus_without_init_containers(pod) > options_.gpus.size()
      || requested <= count_free_gpus_())
    return "";
  return "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
}

void pod_binder::bind_or_reject_if_new(const json& pod) {
  auto uid = uid_of(pod);
  if (binding_.count(uid) > 0 || rejected_.count(uid) > 0
      || refused_.count(uid) > 0)
    return;
  if (auto scheduler = unavailable_scheduler_name_or_empty(pod);
      !scheduler.empty())
    reject_as_unschedulable(pod, "NoScheduler",
                            "no scheduler named \"" + scheduler
                                + "\" is running; remove schedulerName");
  else if (auto why = find_missing_room_reason(pod); !why.empty())
    reject_as_unschedulable(pod, "Unschedulable", why);
  else
    bind(pod);
}

void pod_binder::forget_pod(const std::string& uid) {
  binding_.erase(uid);
  rejected_.erase(uid);
  refused_.erase(uid);
}

void pod_binder::reject_as_unschedulable(const json& pod,
                                         const std::string& reason,
                                         const std::string& why) {
  rejected_[uid_of(pod)] = pod;
  report_as_unschedulable(pod, reason, why);
}

void pod_binder::report_as_unschedulable(const json& pod,
                                         const std::string& reason,
                                         const std::string& why) {
  auto now = std::chrono::system_clock::now();
  write_status_while_unbound(
      uid_of(pod),
      make_status_patch(pod, make_unschedulable_status(reason, why, now)));
  client_.send_warning_event(pod, "FailedScheduling", why);
}

void pod_binder::write_status_while_unbound(const std::string& uid,
                                            const request& r) {
  if (rejected_.count(uid) == 0 && refused_.count(uid) == 0)
    return;
  client_.send(r, [this, uid, r](const result<std::string>& answer) {
    if (!answer && answer.error().is_retryable())
      client_.run_after_retry_pause(
          [this, uid, r] { write_status_while_unbound(uid, r); });
  });
}

void pod_binder::bind_rejected_pods_that_fit() {
  for (auto i = rejected_.begin(); i != rejected_.end();) {
    if (!unavailable_scheduler_name_or_empty(i->second).empty()
        || !find_missing_room_reason(i->second).empty()) {
      ++i;
      continue;
    }
    auto pod = std::move(i->second);
    i = rejected_.erase(i);
    bind(pod);
  }
}

void pod_binder::bind(const json& pod) {
  auto uid = uid_of(pod);
  auto ref = pod_ref(pod);
  auto requested = count_gpus_without_init_containers(pod);
  binding_[uid] = requested <= options_.gpus.size() ? requested : 0;
  json body{
      {"apiVersion", "v1"},
      {"kind", "Binding"},
      {"metadata", {{"name", ref.name}, {"uid", uid}}},
      {"target",
       {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", options_.name}}}};
  auto r = get(ref);
  r.method = verb::create;
  r.path += "/binding";
  r.body = to_text(body);
  r.resource = "pods/binding";
  client_.send(std::move(r), [this, pod](const result<std::string>& answer) {
    retry_or_report_failed_bind(pod, answer);
  });
}

void pod_binder::retry_or_report_failed_bind(
    const json& pod, const result<std::string>& answer) {
  auto uid = uid_of(pod);
  // The watch shows the pod with its node.
  if (answer || binding_.erase(uid) == 0)
    return;
  const auto& why = answer.error();
  if (why.is_retryable()) {
    rejected_[uid] = pod;
    client_.run_after_retry_pause([this] { bind_rejected_pods_that_fit(); });
  } else if (!needs_no_report(why)) {
    refused_.insert(uid);
    report_as_unschedulable(pod, "SchedulerError",
                            "binding rejected: " + why.message);
  }
}

} // namespace troupe::k8s::node
