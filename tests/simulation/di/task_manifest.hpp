#pragma once

#include "tests/simulation/di/dijob_objects.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::simulation {

/// Why a pod of a job of tasks is replaced.
enum class pod_end { none, failed, lost };

/// What the spec of a DIJob of tasks asks for (v2alpha1), by a reader that
/// shares nothing with the operator's.
struct task_manifest {
  struct task {
    std::string name;
    int replicas = 1;
  };

  json spec;
  std::vector<task> tasks;
  std::string policy;       ///< cleanPodPolicy.
  std::optional<int> limit; ///< backoffLimit.
  bool preemptible = false;
  bool invalid = false;

  int all_replicas() const;
  bool wants(const std::string& name, int index) const;
  /// The place of this replica among all, -1 if it is not wanted.
  int rank_of(const std::string& name, int index) const;
  /// A failed pod costs a restart; one that is lost was refused by its node or
  /// preempted, and costs none.
  pod_end end_of(const json& pod) const;
};

task_manifest read_task_manifest(const json& spec);

/// The number at the end of a pod's name.
int index_of_pod(const json& pod);

/// Its pods' task.
inline const std::string& task_of(const json& pod) {
  return label_of(pod, "diengine/task-name");
}

/// Whether all its containers are.
bool is_ready(const json& pod);

} // namespace troupe::simulation
