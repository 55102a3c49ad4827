// PyTorchJob, as training-operator v1.9 runs it: a master and workers, or
// workers that use torchrun's rendezvous.

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/base/numbers.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/pytorch_parts.hpp"
#include "frameworks/registry.hpp"
#include "frameworks/rules.hpp"

#include <charconv>

namespace troupe::frameworks {

using namespace core;

namespace {

/// spec.nprocPerNode with its default; nullopt if elasticPolicy.nProcPerNode
/// (deprecated) is set instead.
std::optional<std::string>
nproc_text_unless_deprecated_is_set(const json& settings) {
  const auto& given = value_at(settings, {"nprocPerNode"});
  if (given.is_string())
    return given.get<std::string>();
  const auto& old = value_at(settings, {"elasticPolicy", "nProcPerNode"});
  return old.is_null() ? std::optional<std::string>{"auto"} : std::nullopt;
}

/// Values that are not a number ("auto", "gpu") count as 1.
std::int64_t parse_nproc_or_one(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  std::int64_t n = 1;
  const auto* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, n);
  return error == std::errc{} && stop == end ? n : 1;
}

void add_master_variables(std::vector<env_var>& out, const job& j,
                          const slot& at, const std::string& processes) {
  auto port = std::to_string(port_of_type_or_default(j, "master"));
  auto address = child_name(j, {"master", 0});
  auto world_size =
      multiply_saturated(j.total_replicas(), parse_nproc_or_one(processes));
  auto rank = std::to_string(at.type == "master" ? at.index : at.index + 1);
  for (const auto& [name, value] :
       {std::pair{"MASTER_PORT", port}, std::pair{"PET_MASTER_PORT", port},
        std::pair{"MASTER_ADDR", address},
        std::pair{"PET_MASTER_ADDR", address},
        std::pair{"WORLD_SIZE", std::to_string(world_size)},
        std::pair{"RANK", rank}, std::pair{"PET_NODE_RANK", rank}})
    out.push_back({name, value});
}

std::string rendezvous_endpoint(const job& j, const json& policy) {
  auto port = int32_at(policy, {"rdzvPort"});
  return text_at(policy, {"rdzvHost"}, child_name(j, {"worker", 0})) + ":"
         + std::to_string(port.value_or(port_of_type_or_default(j, "worker")));
}

/// [{key, value}, …] as "k1=v1,k2=v2".
std::string join_key_value_pairs(const json& list) {
  std::string result;
  for (const auto& entry : list)
    result += (result.empty() ? "" : ",") + text_at(entry, {"key"}) + "="
              + text_at(entry, {"value"});
  return result;
}

void add_elastic_variables(std::vector<env_var>& out, const job& j,
                           const json& policy) {
  auto add = [&](const char* name, std::string value) {
    out.push_back({name, std::move(value)});
  };
  auto bounds = elastic_bounds(j);
  add("PET_RDZV_ENDPOINT", rendezvous_endpoint(j, policy));
  add("PET_RDZV_BACKEND", text_at(policy, {"rdzvBackend"}, "c10d"));
  add("PET_NNODES", std::to_string(bounds.min_replicas) + ":"
                        + std::to_string(bounds.max_replicas));
  if (auto n = int64_at(policy, {"maxRestarts"}))
    add("PET_MAX_RESTARTS", std::to_string(*n));
  if (auto n = int64_at(policy, {"nProcPerNode"}))
    add("PET_NPROC_PER_NODE", std::to_string(*n));
  if (const auto& id = value_at(policy, {"rdzvId"}); id.is_string())
    add("PET_RDZV_ID", id.get<std::string>());
  if (const auto& list = value_at(policy, {"rdzvConf"});
      list.is_array() && !list.empty())
    add("PET_RDZV_CONF", join_key_value_pairs(list));
  if (bool_at(policy, {"standalone"}))
    add("PET_STANDALONE", "");
}

std::vector<env_var> pytorch_environment(const job& j, const slot& at,
                                         const cluster_options&) {
  auto settings = parse_json_or_null(j.settings);
  auto processes = nproc_text_unless_deprecated_is_set(settings);
  std::vector<env_var> result{{"PYTHONUNBUFFERED", "1"}};
  if (has_replica_of_chief_type(j))
    add_master_variables(result, j, at, processes.value_or(""));
  if (processes)
    result.push_back({"PET_NPROC_PER_NODE", *processes});
  if (j.elastic_policy)
    add_elastic_variables(result, j, value_at(settings, {"elasticPolicy"}));
  else
    result.push_back({"PET_NNODES", std::to_string(j.total_replicas())});
  return result;
}

std::vector<field_error> elastic_policy_errors(const json& spec) {
  std::vector<field_error> result;
  const auto& policy = value_at(spec, {"elasticPolicy"});
  if (policy.is_null())
    return result;
  if (value_at(spec, {"pytorchReplicaSpecs", "Worker"}).is_null())
    result.push_back(
        {"spec.pytorchReplicaSpecs[Worker]",
         "Required value: must be configured if elastic policy is used"});
  if (!value_at(policy, {"nProcPerNode"}).is_null()
      && !value_at(spec, {"nprocPerNode"}).is_null())
    result.push_back({"spec.elasticPolicy.nProcPerNode",
                      "Forbidden: must not be used with spec.nprocPerNode"});
  return result;
}

std::vector<std::string> pytorch_spec_warnings(const json& spec) {
  if (value_at(spec, {"elasticPolicy", "nProcPerNode"}).is_null())
    return {};
  return {"spec.elasticPolicy.nProcPerNode is deprecated, use "
          "spec.nprocPerNode instead"};
}

/// The chief is the replica type whose success decides the job.
replica_rule pytorch_master() {
  auto r = make_chief_rule("Master", "master");
  r.allowed = replica_count::one;
  return r;
}

replica_rule pytorch_worker() {
  auto r = make_follower_rule("Worker", "worker");
  r.chief = chief_rule::if_no_other;
  r.succeeds = success::any_if_elastic;
  r.role = master_role::index_zero_without_chief;
  r.allowed = replica_count::not_zero;
  return r;
}

} // namespace

framework pytorch() {
  framework f;
  f.names = names_of_v1_kind("PyTorchJob", "pytorch", "pytorchReplicaSpecs");
  f.replicas = {pytorch_master(), pytorch_worker()};
  f.accepted.find_spec_errors = elastic_policy_errors;
  f.accepted.find_spec_warnings = pytorch_spec_warnings;
  f.pods.container = "pytorch";
  f.pods.port_name = "pytorchjob-port";
  f.pods.port = 23456;
  f.pods.writes_status_selector = true;
  f.ending.default_restart_policy = restart_policy::on_failure;
  f.messages.delete_event_noun =
      "Pod"; // As training-operator v1, for the job, too.
  f.messages.with_chief = messages_with_name();
  f.messages.without_chief = messages_with_namespace();
  f.hooks.environment = pytorch_environment;
  f.hooks.customize_pod_spec = add_master_wait_containers_if_needed;
  f.hooks.own_init_containers_wait_for = "the name of the master to resolve";
  f.hooks.auxiliary_objects = pytorch_autoscaler_if_elastic;
  f.hooks.auxiliary_kinds = {child_kind::autoscaler};
  return f;
}

} // namespace troupe::frameworks
