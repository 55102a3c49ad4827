#pragma once

#include "actors/cli/local/kubeconfig_file.hpp"
#include "actors/cli/local/local_cluster.hpp"
#include "actors/cli/local/run_directory.hpp"
#include "actors/cli/manifest/workload.hpp"
#include "actors/cli/progress/screen.hpp"
#include "actors/cli/run/run_options.hpp"
#include "k8s/api.hpp"

#include <memory>

namespace troupe::cli {

/// Where the job runs.
struct run_target {
  std::unique_ptr<run_directory> logs; ///< Null if they are not kept here.
  std::unique_ptr<kubeconfig_file> kubeconfig; ///< Of `local`.
  std::unique_ptr<local_cluster> local; ///< Null for a cluster elsewhere.
  std::shared_ptr<k8s::api> client;
};

/// Starts a cluster in this process, and prints how to inspect it.
k8s::result<run_target> start_local_target(const run_options& o,
                                           const workload& load, screen& out);

/// Connects to the cluster of the kubeconfig.
k8s::result<run_target> connect_target(const run_options& o, screen& out);

} // namespace troupe::cli
