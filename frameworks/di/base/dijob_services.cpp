#include "frameworks/di/base/dijob_services.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/di/base/dijob_pods.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

namespace troupe::frameworks::di {

using namespace core;

namespace {

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

/// The main port, and of a learner of several processes those of the others.
std::vector<container_port> ports_of_service(const child_view& pod) {
  std::vector<container_port> result;
  for (const auto& port : pod.details->ports)
    if (port.name == main_port && result.empty())
      result.push_back(port);
  if (result.empty())
    result.push_back({main_port, default_port(pod.at.type)});
  if (pod.at.type != role::ddp_learner)
    return result;
  for (const auto& port : pod.details->ports)
    if (starts_with(port.name, gpu_port_prefix) || port.name == master_port)
      result.push_back(port);
  return result;
}

/// Several processes of a learner are made from the learner's template.
const replica_spec* find_spec_of_pod(const job& j, const child_view& pod) {
  return j.find_replica_spec(pod.at.type == role::ddp_learner ? role::learner
                                                              : pod.at.type);
}

/// TCP, the default, is not written.
json ports_json(const std::vector<container_port>& ports) {
  auto result = json::array();
  for (const auto& port : ports) {
    result.push_back({{"name", port.name}, {"port", port.port}});
    if (!port.is_tcp())
      result.back()["protocol"] = port.protocol;
  }
  return result;
}

/// Sorted by name, and by version; cheaper than a map for what lives so short.
using children_by_name = std::vector<const child_view*>;

children_by_name sort_by_name(const observed_children::children& all) {
  children_by_name result;
  result.reserve(all.size());
  for (const auto& v : all)
    result.push_back(&v);
  std::sort(result.begin(), result.end(), [](const auto* a, const auto* b) {
    return std::tie(a->name, a->version) < std::tie(b->name, b->version);
  });
  return result;
}

/// Of several with one name, the latest; nullptr if there is none.
const child_view* find_latest_of_name(const children_by_name& all,
                                      const std::string& name) {
  auto after = std::upper_bound(
      all.begin(), all.end(), name,
      [](const std::string& n, const auto* v) { return n < v->name; });
  return after != all.begin() && (*std::prev(after))->name == name
             ? *std::prev(after)
             : nullptr;
}

bool is_owned_with_job_labels(const child_view& v) {
  return v.owned && v.labels_match_job;
}

void plan_service_creation_or_adoption(reconcile_context& ctx,
                                       const children_by_name& services,
                                       const child_view& pod) {
  // A terminating one keeps the name until it is gone.
  if (const auto* service = find_latest_of_name(services, pod.name)) {
    ctx.plan_adoption_unless_blocked(child_kind::service, *service,
                                     "its pod is ours");
    return;
  }
  create_child wanted{child_kind::service, pod.at, "the pod has no service"};
  wanted.name = pod.name;
  wanted.body = make_service_json(ctx.job, pod);
  ctx.plan_creation_unless_blocked(std::move(wanted));
}

} // namespace

std::string make_service_json(const job& j, const child_view& pod) {
  const json labels = pod.details->labels;
  json service = {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata",
       {{"name", pod.name},
        {"namespace", j.ns},
        {"labels", labels},
        {"ownerReferences", owner_references_json(pod.details->owners)}}},
      {"spec",
       {{"type", "ClusterIP"},
        {"clusterIP", "None"},
        {"selector", labels},
        {"ports", ports_json(ports_of_service(pod))}}}};
  const auto* spec = find_spec_of_pod(j, pod);
  if (spec && spec->has_readiness_check)
    service["spec"]["publishNotReadyAddresses"] = true;
  return to_text(service);
}

void reconcile_services(reconcile_context& ctx, const observed_children& seen) {
  auto pods = sort_by_name(seen.pods());
  auto services = sort_by_name(seen.services());
  for (const auto& pod : seen.pods())
    if (is_owned_with_job_labels(pod) && !pod.terminating && pod.details)
      plan_service_creation_or_adoption(ctx, services, pod);
  for (const auto& service : seen.services())
    if (is_owned_with_job_labels(service)
        && !find_latest_of_name(pods, service.name))
      ctx.plan_deletion_unless_blocked(child_kind::service, service,
                                       "its pod is gone");
}

void delete_services_with_job_labels(reconcile_context& ctx,
                                     const observed_children& seen,
                                     const char* why) {
  for (const auto& service : seen.services())
    if (service.labels_match_job)
      ctx.plan_deletion_unless_blocked(child_kind::service, service, why);
}

} // namespace troupe::frameworks::di
