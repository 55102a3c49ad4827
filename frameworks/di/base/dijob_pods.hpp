#pragma once

#include "frameworks/core/model/framework.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe::frameworks::di {

// The pods of a DIJob: names, labels, environment, ports and resources. Pure
// functions for both creators of such pods: the operator, which creates the
// coordinator, and di-server, which creates all others.

/// Values of the label replica-type.
namespace role {
inline constexpr const char* coordinator = "coordinator";
inline constexpr const char* collector = "collector";
inline constexpr const char* learner = "learner";
inline constexpr const char* ddp_learner = "ddp-learner";
inline constexpr const char* aggregator = "aggregator";
} // namespace role

inline constexpr const char* main_container = "di-container";
/// Names of container ports.
inline constexpr const char* main_port = "di-port";
inline constexpr const char* gpu_port_prefix = "gpu-port-";
inline constexpr const char* master_port = "master-port";
inline constexpr std::int32_t master_port_number = 10314;

/// The label of the pods of one multi-pod learner, and its values.
inline constexpr const char* ddp_learner_type = "ddp-learner-type";
inline constexpr const char* ddp_learner_master = "ddp-learner-master";
inline constexpr const char* ddp_learner_worker = "ddp-learner-worker";

inline constexpr const char* gpu_resource = "nvidia.com/gpu";

core::label_keys dijob_label_keys();

/// The port of a role whose template declares none; an unknown role has the
/// coordinator's.
std::int32_t default_port(const std::string& role);

/// The port `di-port` of the main container in this pod or pod template, or
/// the role's default.
std::int32_t declared_port_or_default(const nlohmann::json& pod,
                                      const std::string& role);

/// Where the other pods reach the pod: "cp-collector-7x2bq.default:22270".
std::string access_url(const std::string& pod, const std::string& ns,
                       std::int32_t port);

/// Quantities, set as limits and as requests of the main container; "" keeps
/// the template's.
struct pod_resources {
  std::string cpu;
  std::string memory;
  std::string gpu;
};

/// metadata.ownerReferences.
nlohmann::json
owner_references_json(const std::vector<k8s::owner_reference>& owners);

/// What a pod keeps of its template's metadata: labels, annotations and
/// finalizers.
nlohmann::json kept_template_metadata(const nlohmann::json& given);

/// Appends the variables to all containers except init containers, sorted by
/// name, so that equal variables give equal pods. Variables that a container
/// has stay as they are.
void append_missing_variables_to_containers(
    nlohmann::json& pod_spec, std::vector<core::env_var> variables);

/// Adds the volumes of the job's spec.
void add_job_volumes(nlohmann::json& pod_spec, const core::job& j);

/// What a pod is made from, besides its job.
struct pod_order {
  std::string role;
  std::string name;
  std::string pod_template;   ///< JSON text.
  std::string server_address; ///< KUBERNETES_SERVER_URL.
  pod_resources resources = {};
  /// In addition to those that every pod of a DIJob has.
  std::vector<core::env_var> variables = {};
  std::map<std::string, std::string> labels = {};
  std::vector<core::container_port> ports = {};  ///< Of the main container.
  std::vector<k8s::owner_reference> owners = {}; ///< In addition to the job.
  bool has_job_volumes = true;
  std::string priority_class = {};         ///< "": the template's.
  std::string default_restart_policy = {}; ///< If the template has none.
};

struct complete_pod {
  std::string body;      ///< JSON text of the whole pod.
  std::int32_t port = 0; ///< The main one.
};

/// ec::invalid if the template has no list of containers.
k8s::result<complete_pod> make_pod(const core::job& j, const pod_order& order);

/// The order for the pod that every job has.
pod_order coordinator_pod_order(const core::job& j,
                                const core::cluster_options& cluster);

} // namespace troupe::frameworks::di
