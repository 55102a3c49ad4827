#pragma once

#include "actors/cli/node_flags.hpp"
#include "actors/cli/screen.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace troupe::cli {

struct run_options {
  std::vector<std::string> files;
  std::string kubeconfig; ///< "": a cluster of our own, in this process.
  std::string context;
  std::string ns;
  std::string run_directory; ///< "": a new one.
  std::string logs = "all";
  bool timestamps = false; ///< Of the logs' lines.
  output_format output = output_format::text;
  node_flags node;
  bool keep = false;
  std::chrono::milliseconds timeout{0}; ///< 0: none.
};

/// Runs one job from its manifest to its end and returns the exit code: 0 it
/// succeeded, 1 it failed, 2 usage error, 124 out of time, 130 stopped
/// by the user.
int run_job(const run_options& o);

} // namespace troupe::cli
