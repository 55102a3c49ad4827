#include "frameworks/di/requests/replica_lists.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/requests/replica_response.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::frameworks::di {

namespace {

using core::child_view;
using core::observed_children;

bool is_owned_and_not_being_deleted(const child_view& pod) {
  return pod.owned && !pod.terminating && !pod.delete_requested;
}

/// Smaller is missed less.
int removal_rank_least_needed_first(const child_view& pod) {
  if (pod.is_finished())
    return 0;
  return pod.phase == k8s::pod_phase::running ? 2 : 1;
}

const std::vector<core::container_port>& ports_of_pod(const child_view& pod) {
  static const std::vector<core::container_port> none;
  return pod.details ? pod.details->ports : none;
}

template <class Such>
pod_views list_own_undeleted_pods_where(const observed_children& seen,
                                        Such such) {
  pod_views result;
  for (const auto& pod : seen.pods())
    if (is_owned_and_not_being_deleted(pod) && such(pod))
      result.push_back(&pod);
  std::sort(result.begin(), result.end(),
            [](const auto* a, const auto* b) { return a->name < b->name; });
  return result;
}

std::vector<std::string> urls_of(const pod_views& pods, const std::string& ns) {
  std::vector<std::string> result;
  for (const auto* pod : pods)
    result.push_back(pod_url(*pod, ns));
  return result;
}

/// Where the processes of these ddp learners are reached: one for each GPU.
std::vector<std::string> ddp_process_urls(const pod_views& pods,
                                          const std::string& ns) {
  std::vector<std::string> result;
  for (const auto* pod : pods) {
    result.push_back(pod_url(*pod, ns));
    for (const auto& p : ports_of_pod(*pod))
      if (p.name.rfind(gpu_port_prefix, 0) == 0)
        result.push_back(access_url(pod->name, ns, p.port));
  }
  return result;
}

} // namespace

pod_views list_undeleted_replicas_of_role(const observed_children& seen,
                                          const char* role) {
  return list_own_undeleted_pods_where(
      seen, [&](const auto& pod) { return pod.at.type == role; });
}

pod_views list_undeleted_ddp_learners_of(const observed_children& seen,
                                         const std::string& aggregator) {
  return list_own_undeleted_pods_where(seen, [&](const auto& pod) {
    return pod.at.type == role::ddp_learner && *pod.owner_pod == aggregator;
  });
}

const child_view* find_pod_not_deleted_by_us(const observed_children& seen,
                                             const std::string& name) {
  const child_view* found = nullptr;
  for (const auto& pod : seen.pods())
    if (pod.owned && !pod.delete_requested && pod.name == name
        && (!found || found->terminating))
      found = &pod;
  return found;
}

std::string pod_url(const child_view& pod, const std::string& ns) {
  auto port = default_port(pod.at.type);
  for (const auto& p : ports_of_pod(pod))
    if (p.name == main_port)
      port = p.port;
  return access_url(pod.name, ns, port);
}

pod_views choose_replicas_to_remove(pod_views all, std::int64_t count) {
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return std::make_tuple(removal_rank_least_needed_first(*a), b->created)
           < std::make_tuple(removal_rank_least_needed_first(*b), a->created);
  });
  auto chosen = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  all.resize(std::min(all.size(), chosen));
  return all;
}

bool is_request_source_allowed(const core::job_request& q,
                               const observed_children& seen) {
  auto is_source = [&](const child_view& pod) {
    return pod.owned && pod.details && !pod.is_finished()
           && !pod.details->on_host_network
           && std::count(pod.details->ips.begin(), pod.details->ips.end(),
                         q.source)
                  > 0;
  };
  return q.source.empty()
         || std::any_of(seen.pods().begin(), seen.pods().end(), is_source);
}

core::job_response list_replicas_response(const replica_request& q,
                                          const core::request_inputs& in) {
  const auto* message = success_message(request_verb::list);
  if (!q.aggregator.empty())
    return {200, message,
            to_json_text({in.of.ns, q.aggregator, std::nullopt,
                          ddp_process_urls(list_undeleted_ddp_learners_of(
                                               in.seen, q.aggregator),
                                           in.of.ns)})};
  auto coordinator = q.coordinator;
  if (coordinator.empty()) {
    const auto* pod = find_pod_not_deleted_by_us(
        in.seen, core::child_name(in.of, {role::coordinator, 0}));
    if (!pod)
      return {404, "the job has no coordinator"};
    coordinator = pod->name;
  }
  auto learners = urls_of(
      list_undeleted_replicas_of_role(in.seen, role::learner), in.of.ns);
  for (auto& url :
       urls_of(list_undeleted_replicas_of_role(in.seen, role::aggregator),
               in.of.ns))
    learners.push_back(std::move(url));
  return {200, message,
          to_json_text({in.of.ns, coordinator,
                        urls_of(list_undeleted_replicas_of_role(
                                    in.seen, role::collector),
                                in.of.ns),
                        std::move(learners)})};
}

} // namespace troupe::frameworks::di
