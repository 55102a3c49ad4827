// XGBoostJob (LightGBM, too), as training-operator v1.9 runs it: one master,
// which must be there, and workers.

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/registry.hpp"
#include "frameworks/rules.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

/// "gbm-worker-0,gbm-worker-1": all replicas but the master.
std::string joined_worker_names(const job& j, std::int32_t count) {
  std::string result;
  for (std::int32_t i = 0; i < count; ++i)
    result += (i > 0 ? "," : "") + child_name(j, {"worker", i});
  return result;
}

std::vector<env_var> xgboost_environment(const job& j, const slot& at,
                                         const cluster_options&) {
  auto total = j.total_replicas();
  const auto* masters = j.find_replica_spec("master");
  auto before = at.type == "worker" && masters ? masters->replicas : 0;
  std::vector<env_var> result{
      {"MASTER_PORT", std::to_string(port_of_type_or_default(j, "master"))},
      {"MASTER_ADDR", child_name(j, {"master", 0})},
      {"WORLD_SIZE", std::to_string(total)},
      {"RANK", std::to_string(at.index + before)},
      {"PYTHONUNBUFFERED", "1"}};
  if (total > 1) { // LightGBM's list of machines.
    result.push_back(
        {"WORKER_PORT", std::to_string(port_of_type_or_default(j, "worker"))});
    result.push_back({"WORKER_ADDRS", joined_worker_names(j, total - 1)});
  }
  return result;
}

/// In WORKER_ADDRS, with a comma.
std::size_t worker_names_bytes(const job& j) {
  const auto* workers = j.find_replica_spec("worker");
  return workers ? name_list_bytes(j, *workers, 1) : 0;
}

replica_rule xgboost_master() {
  auto r = make_chief_rule("Master", "master");
  r.allowed = replica_count::one;
  r.required = true;
  return r;
}

} // namespace

framework xgboost() {
  framework f;
  f.names = names_of_v1_kind("XGBoostJob", "xgboost", "xgbReplicaSpecs");
  f.replicas = {xgboost_master(), make_follower_rule("Worker", "worker")};
  f.pods.container = "xgboost";
  f.pods.port_name = "xgboostjob-port";
  f.pods.port = 9999;
  f.ending.sets_running_before_end = true;
  f.messages.with_chief = messages_with_name();
  f.messages.without_chief = f.messages.with_chief;
  f.hooks.environment = xgboost_environment;
  f.hooks.listed_names_bytes = worker_names_bytes;
  return f;
}

} // namespace troupe::frameworks
