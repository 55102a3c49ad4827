#include "frameworks/core/gangs/gang.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/spec/pod_requests.hpp"
#include "frameworks/core/spec/volcano_group.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

constexpr const char* default_queue = "default";

/// What one container asks for: its requests, else its limits.
const json& requests_or_limits(const json& container) {
  const auto& resources = value_at(container, {"resources"});
  const auto& requests = value_at(resources, {"requests"});
  return requests.is_object() ? requests : value_at(resources, {"limits"});
}

void add_resource_requests(resource_amounts& sum, const json& pod_template,
                           std::int32_t times) {
  if (has_pod_level_resources(pod_template)) {
    add_pod_requests(sum, pod_template, times);
    return;
  }
  const auto& containers = value_at(pod_template, {"spec", "containers"});
  for (const auto& c : containers)
    for (const auto& [name, value] : requests_or_limits(c).items()) {
      auto q = quantity::parse(value.is_string() ? value.get<std::string>()
                                                 : value.dump());
      if (!q)
        continue;
      *q *= times;
      sum[name] += *q;
    }
}

/// Of the first `members` pods, type by type.
json min_resources_of_first_members(const job& j, std::int32_t members) {
  resource_amounts sum;
  for (const auto& type : j.replicas) {
    auto times = std::min(type.replicas, members);
    members -= times;
    if (times > 0)
      add_resource_requests(sum, parse_json_or_null(type.pod_template), times);
  }
  auto result = json::object();
  for (const auto& [name, q] : sum)
    result[name] = q.to_text();
  return result;
}

/// A queue that is already set is kept.
std::string current_or_wanted_queue_name(const scheduling_policy& policy,
                                         const observed_children& seen) {
  if (const auto* group = own_pod_group(seen)) {
    auto now = text_at(parse_json_or_null(group->body()), {"spec", "queue"});
    if (!now.empty())
      return now;
  }
  return policy.queue.empty() ? default_queue : policy.queue;
}

json pod_group_spec(const job& j, const observed_children& seen, gang how) {
  auto policy = j.policy.scheduling.value_or(scheduling_policy{});
  auto members = policy.min_available.value_or(j.total_replicas());
  json spec{{"minMember", members}};
  auto resources = policy.min_resources.empty()
                       ? min_resources_of_first_members(j, members)
                       : parse_json_or_null(policy.min_resources);
  if (how == gang::volcano || !resources.empty())
    spec["minResources"] = std::move(resources);
  if (how == gang::volcano) {
    spec["queue"] = current_or_wanted_queue_name(policy, seen);
    if (!policy.priority_class.empty())
      spec["priorityClassName"] = policy.priority_class;
    add_volcano_policy(spec, j);
  } else if (policy.schedule_timeout_seconds) {
    spec["scheduleTimeoutSeconds"] = *policy.schedule_timeout_seconds;
  }
  return spec;
}

} // namespace

const child_view* own_pod_group(const observed_children& seen) {
  for (auto kind : {child_kind::volcano_group, child_kind::pod_group})
    for (const auto& v : seen.children_of_kind(kind))
      if (v.owned)
        return &v;
  return nullptr;
}

std::optional<auxiliary_object>
desired_pod_group(const job& j, const observed_children& seen,
                  const cluster_options& cluster) {
  if (cluster.scheduling == gang::none || cluster.scheduling == gang::kubernetes
      || j.policy.suspend)
    return std::nullopt;
  bool volcano = cluster.scheduling == gang::volcano;
  auxiliary_object group;
  group.kind = volcano ? child_kind::volcano_group : child_kind::pod_group;
  group.name = j.name;
  group.before_pods = true;
  group.body = to_text({{"spec", pod_group_spec(j, seen, cluster.scheduling)}});
  if (!j.annotations.empty())
    group.metadata = "{\"annotations\":" + j.annotations + "}";
  return group;
}

bool waits_for_volcano_admission(const observed_children& seen,
                                 const cluster_options& cluster) {
  if (cluster.scheduling != gang::volcano)
    return false;
  const auto* group = own_pod_group(seen);
  if (!group)
    return true;
  auto phase = pod_group_phase(*group);
  return phase.empty() || phase == "Pending";
}

bool is_held_for_gang(const observed_children& seen, const job_status& status,
                      const cluster_options& cluster) {
  if (!waits_for_volcano_admission(seen, cluster))
    return false;
  if (!status.start_time)
    return true;
  return status.has_no_condition_since_resume()
         && std::none_of(
             seen.pods().begin(), seen.pods().end(),
             [](const auto& pod) { return pod.owned && !pod.is_leaving(); });
}

std::string gang_waiting_reason(const observed_children& seen) {
  const auto* group = own_pod_group(seen);
  if (!group)
    return {};
  const auto& why = group->not_admitted->message.empty() ? *group->problem
                                                         : *group->not_admitted;
  return why.message.empty() ? "" : why.reason + ": " + why.message;
}

std::string pod_group_phase(const child_view& group) {
  return text_at(parse_json_or_null(group.body()), {"status", "phase"});
}

std::string pod_group_queue_name_or_default(const child_view& group) {
  return text_at(parse_json_or_null(group.body()), {"spec", "queue"},
                 default_queue);
}

} // namespace troupe::core
