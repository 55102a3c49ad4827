#pragma once

#include "actors/cli/local/node_choice.hpp"
#include "actors/cli/progress/screen.hpp"
#include "k8s/apiserver/api_server.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace troupe::cli {

/// What the flags of `run` say.
struct run_options {
  std::vector<std::string> files;
  std::vector<std::string> kustomizations; ///< Directories.
  bool all = false;                        ///< Several jobs, at once.
  std::string kubeconfig; ///< "": a cluster of our own, in this process.
  std::string context;
  std::string ns;
  std::string run_directory; ///< "": a new one.
  std::string logs = "all";
  bool timestamps = false; ///< Of the logs' lines.
  output_format output = output_format::text;
  node_choice node;
  k8s::apiserver::authorization_mode authorization =
      k8s::apiserver::authorization_mode::always_allow;
  bool keep = false;
  std::chrono::milliseconds timeout{0}; ///< 0: none.
  std::string timeline; ///< The file for the picture of the run; "": none.
};

} // namespace troupe::cli
