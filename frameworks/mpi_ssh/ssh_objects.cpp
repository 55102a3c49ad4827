#include "frameworks/mpi_ssh/ssh_objects.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/spec/pod_requests.hpp"
#include "frameworks/core/spec/volcano_group.hpp"
#include "frameworks/mpi_ssh/ssh_settings.hpp"

#include <algorithm>
#include <set>

namespace troupe::frameworks::mpi_ssh {

using namespace core;

namespace {

constexpr const char* host_file = "hostfile";
constexpr const char* discovery_script = "discover_hosts.sh";

auxiliary_object object_for_pods(child_kind kind, std::string name,
                                 const job& j) {
  auxiliary_object result;
  result.kind = kind;
  result.name = std::move(name);
  result.metadata = to_text({{"labels", {{"app", j.name}}}});
  result.before_pods = true;
  return result;
}

// -- the files ----------------------------------------------------------------

std::string host_of(const job& j, const std::string& pod,
                    const cluster_options& cluster) {
  return pod + "." + service_name(j) + "." + j.ns + "." + host_domain(cluster);
}

std::string host_file_text(const job& j, const ssh_settings& settings,
                           const cluster_options& cluster) {
  const auto rest = (settings.mpi == implementation::open_mpi ? " slots=" : ":")
                    + std::to_string(settings.slots) + "\n";
  std::string result;
  if (settings.launcher_computes)
    result += host_of(j, launcher_job_name(j), cluster) + rest;
  for (std::int32_t i = 0; i < worker_count(j); ++i)
    result += host_of(j, child_name(j, {worker_label, i}), cluster) + rest;
  return result;
}

/// Sorted as text, as in mpi-operator: worker-10 before worker-2.
std::set<std::string> running_worker_names(const observed_children& seen) {
  std::set<std::string> result;
  for (const auto& pod : seen.pods())
    if (pod.owned && pod.at.type == worker_label
        && pod.phase == k8s::pod_phase::running)
      result.insert(pod.name);
  return result;
}

std::string discovery_script_text(const job& j, const ssh_settings& settings,
                                  const observed_children& seen,
                                  const cluster_options& cluster) {
  std::string result = "#!/bin/sh\n";
  auto add = [&](const std::string& pod) {
    result += "echo " + host_of(j, pod, cluster) + "\n";
  };
  if (settings.launcher_computes)
    add(launcher_job_name(j));
  for (const auto& name : running_worker_names(seen))
    add(name);
  return result;
}

// -- gangs --------------------------------------------------------------------

void add_amount(resource_amounts& sum, const std::string& name,
                const json& value, std::int32_t times) {
  auto q = quantity::parse(value.is_string() ? value.get<std::string>()
                                             : value.dump());
  if (!q)
    return;
  *q *= times;
  sum[name] += *q;
}

/// What containers request, or are limited to where they request nothing.
void add_requests(resource_amounts& sum, const json& pod_template,
                  std::int32_t times) {
  if (has_pod_level_resources(pod_template)) {
    add_pod_requests(sum, pod_template, times);
    return;
  }
  for (const auto& c : array_at(pod_template, {"spec", "containers"})) {
    const auto& requests = value_at(c, {"resources", "requests"});
    for (const auto& [name, value] : requests.items())
      add_amount(sum, name, value, times);
    for (const auto& [name, value] :
         value_at(c, {"resources", "limits"}).items())
      if (!requests.contains(name))
        add_amount(sum, name, value, times);
  }
}

/// Of as many pods as the gang has: if there are more, of fewer workers.
json resources_of_gang(const job& j, std::int32_t members) {
  resource_amounts sum;
  for (const auto& type : j.replicas) {
    auto times = type.replicas;
    if (type.label == worker_label)
      times = std::min(times, std::max(members - 1, 0));
    if (times > 0)
      add_requests(sum, parse_json_or_null(type.pod_template), times);
  }
  auto result = json::object();
  for (const auto& [name, q] : sum)
    result[name] = q.to_text();
  return result;
}

/// The launcher counts once it may start or need not wait: else workers would
/// wait for a launcher that waits for them.
std::int32_t default_gang_size(const job& j, const observed_children& seen) {
  bool launcher_waits =
      launcher_waits_for_workers(j) && !is_launcher_started(seen);
  return worker_count(j) + (launcher_waits ? 0 : 1);
}

std::int32_t gang_size(const job& j, const observed_children& seen) {
  auto usual = default_gang_size(j, seen);
  const auto& policy = j.policy.scheduling;
  if (!policy || !policy->min_available)
    return usual;
  bool all_but_launcher = usual == worker_count(j) && usual > 0;
  return all_but_launcher ? std::min(*policy->min_available, usual)
                          : *policy->min_available;
}

std::string priority_class_of(const job& j, const scheduling_policy& policy) {
  if (!policy.priority_class.empty())
    return policy.priority_class;
  for (const char* type : {launcher_label, worker_label})
    if (const auto* spec = j.find_replica_spec(type)) {
      const auto pod = parse_json_or_null(spec->pod_template);
      auto name = text_at(pod, {"spec", "priorityClassName"});
      if (!name.empty())
        return name;
    }
  return {};
}

std::string volcano_queue_of(const job& j, const scheduling_policy& policy) {
  if (!policy.queue.empty())
    return policy.queue;
  const auto annotations = parse_json_or_null(j.annotations);
  return text_at(annotations, {"scheduling.volcano.sh/queue-name"});
}

void set_unless_empty(json& spec, const char* field, std::string text) {
  if (!text.empty())
    spec[field] = std::move(text);
}

json pod_group_spec(const job& j, const observed_children& seen, bool volcano) {
  const auto policy = j.policy.scheduling.value_or(scheduling_policy{});
  const auto members = gang_size(j, seen);
  auto spec = json::object();
  if (members != 0)
    spec["minMember"] = members;
  auto resources = policy.min_resources.empty()
                       ? resources_of_gang(j, members)
                       : parse_json_or_null(policy.min_resources);
  if (members != 0 && (volcano || !resources.empty()))
    spec["minResources"] = std::move(resources);
  if (volcano) {
    set_unless_empty(spec, "queue", volcano_queue_of(j, policy));
    set_unless_empty(spec, "priorityClassName", priority_class_of(j, policy));
    add_volcano_policy(spec, j);
  } else {
    spec["scheduleTimeoutSeconds"] =
        policy.schedule_timeout_seconds.value_or(0);
  }
  return spec;
}

} // namespace

auxiliary_object service_object(const job& j) {
  auto result = object_for_pods(child_kind::job_service, service_name(j), j);
  json spec{{"clusterIP", "None"},
            {"selector",
             {{label::job_name, job_name_label_value(j.name)},
              {label::operator_name, operator_label_value}}}};
  // Null takes away what somebody else has set.
  spec["publishNotReadyAddresses"] =
      read_ssh_settings(j).launcher_computes ? json(true) : json(nullptr);
  result.body = to_text({{"spec", std::move(spec)}});
  return result;
}

auxiliary_object secret_object(const job& j) {
  auto result = object_for_pods(child_kind::secret, secret_name(j), j);
  result.body = to_text({{"type", "kubernetes.io/ssh-auth"}});
  result.adds_ssh_keys = true;
  return result;
}

auxiliary_object config_map_object(const job& j, const observed_children& seen,
                                   const cluster_options& cluster) {
  auto result = object_for_pods(child_kind::config_map, config_map_name(j), j);
  const auto settings = read_ssh_settings(j);
  // As text: each pass compares it with what exists.
  result.body = R"({"data":{)" + to_quoted(discovery_script) + ":"
                + to_quoted(discovery_script_text(j, settings, seen, cluster))
                + "," + to_quoted(host_file) + ":"
                + to_quoted(host_file_text(j, settings, cluster)) + "}}";
  return result;
}

std::optional<auxiliary_object>
pod_group_object(const job& j, const observed_children& seen,
                 const cluster_options& cluster) {
  if (cluster.scheduling == gang::none
      || cluster.scheduling == gang::kubernetes)
    return std::nullopt;
  bool volcano = cluster.scheduling == gang::volcano;
  auxiliary_object group;
  group.kind = volcano ? child_kind::volcano_group : child_kind::pod_group;
  group.name = j.name;
  group.before_pods = true;
  group.body = to_text({{"spec", pod_group_spec(j, seen, volcano)}});
  return group;
}

auxiliary_object without_added_data(auxiliary_object wanted,
                                    const std::string& stored_body) {
  const auto stored = parse_json_or_null(stored_body);
  auto body = parse_json_or_null(wanted.body);
  bool changed = false;
  for (const auto& [name, value] : value_at(stored, {"data"}).items())
    if (!body["data"].contains(name)) {
      body["data"][name] = nullptr;
      changed = true;
    }
  if (changed)
    wanted.body = to_text(body);
  return wanted;
}

bool has_both_keys_only(const std::string& stored_body) {
  const auto stored = parse_json_or_null(stored_body);
  const auto& data = value_at(stored, {"data"});
  return data.is_object() && data.size() == 2 && data.contains("ssh-privatekey")
         && data.contains("ssh-publickey");
}

} // namespace troupe::frameworks::mpi_ssh
