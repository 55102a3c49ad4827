#pragma once

#include "frameworks/core/model/framework.hpp"

#include <string>

namespace troupe::frameworks::mpi_ssh {

/// Whose `mpirun` the launcher runs: it decides the format of the host file and
/// the environment.
enum class implementation : std::uint8_t { open_mpi, intel, mpich };

/// What an MPIJob v2beta1 says beside its policies and replicas, with defaults.
struct ssh_settings {
  implementation mpi = implementation::open_mpi;
  std::int64_t slots = 1; ///< Of each host.
  std::string key_path;   ///< Where the keys are mounted.
  /// runLauncherAsWorker: the launcher is a host, too.
  bool launcher_computes = false;
  /// The launcher is not started before all workers are ready.
  bool waits_for_workers = false;
};

ssh_settings read_ssh_settings(const core::job& j);
bool launcher_waits_for_workers(const core::job& j);

// Names of children; those of workers are core::child_name().

inline constexpr const char* launcher_label = "launcher";
inline constexpr const char* worker_label = "worker";
inline constexpr const char* operator_label_value = "mpi-operator";

std::string service_name(const core::job& j);
std::string config_map_name(const core::job& j);
std::string secret_name(const core::job& j);
std::string launcher_job_name(const core::job& j);

std::int32_t worker_count(const core::job& j);

/// "svc", or "svc.example.org" if the cluster's domain is set: what host names
/// end with, after the namespace.
std::string host_domain(const core::cluster_options& cluster);

} // namespace troupe::frameworks::mpi_ssh
