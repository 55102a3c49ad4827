// PaddleJob, as training-operator v1.9 runs it: with a master, parameter
// servers and trainers; without one, workers that train collectively.

#include "frameworks/core/model/names.hpp"
#include "frameworks/registry.hpp"
#include "frameworks/rules.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

constexpr const char* pod_ip_variable = "POD_IP_DUMMY";

std::vector<env_var> paddle_environment(const job& j, const slot& at,
                                        const cluster_options&) {
  bool has_servers = j.has_replicas_of("master");
  slot meeting{has_servers ? "master" : "worker", 0};
  auto port =
      ":" + std::to_string(port_of_type_or_default(j, meeting.type.c_str()));
  std::vector<env_var> result{
      {"PYTHONUNBUFFERED", "1"},
      {"PADDLE_JOB_ID", j.name},
      {"PADDLE_NNODES", std::to_string(j.total_replicas())}};
  if (at == meeting) { // Its own service need not resolve yet.
    result.push_back({pod_ip_variable, {}, "status.podIP"});
    result.push_back(
        {"PADDLE_MASTER", std::string{"$("} + pod_ip_variable + ")" + port});
  } else {
    result.push_back({"PADDLE_MASTER", child_name(j, meeting) + port});
  }
  if (has_servers)
    result.push_back(
        {at.type == "master" ? "PADDLE_SERVER_NUM" : "PADDLE_TRAINER_NUM",
         "1"});
  return result;
}

replica_rule paddle_worker() {
  auto r = make_follower_rule("Worker", "worker");
  r.chief = chief_rule::if_no_other;
  return r;
}

} // namespace

framework paddle() {
  framework f;
  f.names = names_of_v1_kind("PaddleJob", "paddle", "paddleReplicaSpecs");
  f.replicas = {make_chief_rule("Master", "master"), paddle_worker()};
  f.accepted.quotes_container_in_errors = true;
  f.pods.container = "paddle";
  f.pods.port_name = "master";
  f.pods.port = 36543;
  f.pods.writes_status_selector = true;
  f.ending.default_restart_policy = restart_policy::on_failure;
  f.messages.delete_event_noun = "Pod";
  f.messages.with_chief = messages_with_name();
  f.messages.without_chief = messages_with_namespace();
  f.hooks.environment = paddle_environment;
  return f;
}

} // namespace troupe::frameworks
