// MXJob, as training-operator v1.8 ran it: a scheduler, servers and workers;
// or, for automatic tuning, a tracker, servers and a tuner.

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/registry.hpp"
#include "frameworks/rules.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

std::int32_t replica_count_of(const job& j, const char* label) {
  const auto* type = j.find_replica_spec(label);
  return type ? type->replicas : 0;
}

/// Types for tuning count as no company.
bool has_one_worker_alone(const job& j) {
  return replica_count_of(j, "worker") == 1
         && replica_count_of(j, "scheduler") == 0
         && replica_count_of(j, "server") == 0;
}

/// [{"url":"j-worker-0","port":9091},…]
std::string replica_addresses_json(const job& j, const replica_spec& type) {
  auto port =
      std::to_string(type.port(j.kind->pods.port_name, j.kind->pods.port));
  std::string result = "[";
  for (std::int32_t i = 0; i < type.replicas; ++i)
    result += (i > 0 ? ",{\"url\":\"" : "{\"url\":\"")
              + child_name(j, {type.label, i}) + "\",\"port\":" + port + "}";
  return result + "]";
}

/// The key of the device that a tuning server offers.
std::string tvm_device_key(const replica_spec& type) {
  auto pod = parse_json_or_null(type.pod_template);
  return text_at(pod, {"metadata", "annotations", "tuner-server-key"});
}

/// {"cluster":{…},"labels":{…},"task":{…}}, types by name.
std::string mx_config_json(const job& j, const slot& at) {
  std::map<std::string, const replica_spec*> types;
  for (const auto& type : j.replicas)
    types.emplace(type.label, &type);
  std::string cluster;
  std::string labels;
  for (const auto& [label, type] : types) {
    auto key = (cluster.empty() ? "\"" : ",\"") + label + "\":";
    cluster += key + replica_addresses_json(j, *type);
    labels += key + to_text(tvm_device_key(*type));
  }
  return "{\"cluster\":{" + cluster + "},\"labels\":{" + labels
         + "},\"task\":{\"type\":\"" + at.type
         + "\",\"index\":" + std::to_string(at.index) + "}}";
}

std::vector<env_var> mxnet_environment(const job& j, const slot& at,
                                       const cluster_options&) {
  bool scheduled = j.has_replicas_of("scheduler");
  auto port =
      scheduled ? std::to_string(port_of_type_or_default(j, "scheduler")) : "0";
  auto host = scheduled ? child_name(j, {"scheduler", 0}) : "";
  std::vector<env_var> result{
      {"MX_CONFIG", mx_config_json(j, at)},
      {"DMLC_PS_ROOT_PORT", port},
      {"DMLC_PS_ROOT_URI", host},
      {"DMLC_NUM_SERVER", std::to_string(replica_count_of(j, "server"))},
      {"DMLC_NUM_WORKER", std::to_string(replica_count_of(j, "worker"))},
      {"DMLC_ROLE", at.type},
      {"DMLC_USE_KUBERNETES", "1"}};
  if (at.type == "worker") // For BytePS.
    result.push_back({"DMLC_WORKER_ID", std::to_string(at.index)});
  return result;
}

/// In MX_CONFIG, with {"url":"","port":12345}, around each name.
std::size_t mx_config_names_bytes(const job& j) {
  constexpr std::size_t beside_each = 24;
  std::size_t sum = 0;
  for (const auto& type : j.replicas)
    sum += name_list_bytes(j, type, beside_each);
  return sum;
}

replica_rule mxnet_scheduler() {
  auto r = make_chief_rule("Scheduler", "scheduler");
  r.role = master_role::none;
  return r;
}

/// The original calls the servers masters; clients select on it.
replica_rule mxnet_server() {
  auto r = make_follower_rule("Server", "server");
  r.role = master_role::all;
  return r;
}

/// In a job that is called single, any type's success is the job's.
replica_rule make_chief_if_single_rule(const char* type, const char* label) {
  auto r = make_follower_rule(type, label);
  r.chief = chief_rule::if_single_process;
  return r;
}

/// Of types that nobody knows.
const replica_rule& mxnet_unknown_type_rule() {
  static const auto rule = make_chief_if_single_rule("", "");
  return rule;
}

} // namespace

framework mxnet() {
  framework f;
  f.names = names_of_v1_kind("MXJob", "mxnet", "mxReplicaSpecs");
  f.replicas = {mxnet_scheduler(),
                mxnet_server(),
                make_chief_if_single_rule("Worker", "worker"),
                make_chief_if_single_rule("TunerTracker", "tunertracker"),
                make_chief_if_single_rule("TunerServer", "tunerserver"),
                make_chief_if_single_rule("Tuner", "tuner")};
  f.accepted.case_insensitive_types = true;
  f.accepted.allows_unknown_types = true;
  f.accepted.unknown_types = &mxnet_unknown_type_rule();
  f.pods.container = "mxnet";
  f.pods.port_name = "mxjob-port";
  f.pods.port = 9091;
  f.ending.is_single_process = has_one_worker_alone;
  f.messages.delete_event_noun = "Pod";
  f.messages.with_chief = messages_with_name();
  f.messages.with_chief.failed =
      "mxjob {name} is failed because {count} {type} replica(s) "
      "failed.";
  f.messages.with_chief.restarting =
      "mxjob {name} is restarting because {count} {type} "
      "replica(s) failed.";
  f.messages.without_chief = f.messages.with_chief;
  f.hooks.environment = mxnet_environment;
  f.hooks.listed_names_bytes = mx_config_names_bytes;
  return f;
}

} // namespace troupe::frameworks
