#pragma once

#include "frameworks/core/model/child_view.hpp"
#include "frameworks/core/model/cluster_options.hpp"
#include "frameworks/core/model/job.hpp"
#include "frameworks/core/model/kind_rules.hpp"
#include "frameworks/core/model/status_format.hpp"
#include "k8s/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

struct job_request;
struct reconcile_context;
class observed_children;
class request_execution;

/// One variable of a container's environment.
struct env_var {
  std::string name;
  std::string value;
  /// If not "", the value is read from this field of the pod ("status.podIP")
  /// when it starts.
  std::string field_path = {};
};

/// Which containers of a pod get the environment.
enum class env_scope : std::uint8_t {
  main_container,  ///< The first of the default name.
  every_container, ///< All except init containers.
};

/// An object that a job has beside its pods and services.
struct auxiliary_object {
  child_kind kind = child_kind::config_map;
  std::string name;
  /// JSON text of the object without apiVersion, kind and metadata.
  std::string body;
  /// JSON text of labels and annotations, "" if none; set at creation, never
  /// updated.
  std::string metadata;
  bool before_pods = false; ///< No pod is created before this object exists.
  /// It references the job's object of this kind, and is created only after a
  /// watch has shown that object: the API server checks references in a cache
  /// that may lag.
  std::optional<child_kind> refers_to = {};
  /// A new pair of SSH keys is added to its `data` when the call is sent.
  bool adds_ssh_keys = false;
};

/// Chapter: what a kind adds to what the core makes: to pods, and objects
/// beside them. Read by spec/pod_template and pass/auxiliary_objects. nullptr:
/// nothing.
struct kind_hooks {
  /// The environment of one replica's containers.
  std::vector<env_var> (*environment)(const job& j, const slot& at,
                                      const cluster_options& cluster) = nullptr;
  env_scope environment_scope = env_scope::every_container;
  /// How many bytes the names of all replicas take in each pod's environment.
  /// nullptr: pods do not have them.
  std::size_t (*listed_names_bytes)(const job& j) = nullptr;

  /// Adds to the `spec` of a pod that is otherwise complete (init containers,
  /// volumes, ...).
  void (*customize_pod_spec)(nlohmann::json& spec, const job& j, const slot& at,
                             const cluster_options& cluster) = nullptr;
  /// What its init containers wait for: "the master's name to resolve".
  const char* own_init_containers_wait_for = "";

  /// Whether pods that a Job makes wait until all others are ready. nullptr:
  /// never.
  bool (*launcher_waits_for_ready_pods)(const job& j) = nullptr;

  /// The auxiliary objects that an unfinished job should have now.
  std::vector<auxiliary_object> (*auxiliary_objects)(
      const job& j, const observed_children& seen,
      const cluster_options& cluster) = nullptr;
  std::vector<child_kind> auxiliary_kinds; ///< The kinds that these may have.
};

/// Chapter: what replaces a part of the core, for a kind whose jobs are no map
/// of replica types. Other kinds leave it as it is: nullptr stands for the
/// core's own function.
struct own_course {
  status_format status;

  /// Decides what one reconcile does, for a job that is not being deleted.
  void (*reconcile_job)(reconcile_context& ctx,
                        const observed_children& seen) = nullptr;

  /// Reads `spec` into the job: policy, replicas, settings.
  void (*read_spec)(job& out, const nlohmann::json& spec) = nullptr;

  /// The body of the pod for one slot, JSON text; part of that attempt, if its
  /// job has attempts.
  k8s::result<std::string> (*make_pod)(
      const job& j, const slot& at, const cluster_options& cluster,
      std::optional<std::int32_t> attempt) = nullptr;

  /// All errors of a job, in place of the rules for a map of replica types.
  std::vector<field_error> (*find_job_errors)(
      const std::string& name, const nlohmann::json& spec) = nullptr;

  /// Begins to carry out a request that one of the job's pods has made; it is
  /// of the type that the kind derives from job_request. nullptr: this kind
  /// takes no requests.
  std::unique_ptr<request_execution> (*begin_request)(
      const std::shared_ptr<const job_request>& request) = nullptr;
};

} // namespace troupe::core
