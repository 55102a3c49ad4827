#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// How containers of pods whose name matches a pattern end.
struct simulated_failure {
  std::string pod_pattern; ///< "mnist-worker-?", with * and ? as in file names.
  int exit_code = 1;
  /// Time after the start; nullopt: when the pod would have succeeded.
  std::optional<std::chrono::milliseconds> after;
  bool once = false; ///< Later lives of a pod of this name do not fail.
};

/// What simulated pods do instead of running programs.
struct simulation {
  std::chrono::milliseconds run_time{10'000}; ///< 0: until the pod's deletion.
  std::vector<simulated_failure> failures; ///< The first that matches counts.
};

/// The end of one life of a container.
struct simulated_end {
  std::chrono::milliseconds after;
  int exit_code = 0;
};

/// How the life of a pod ends; nullopt if it does not end by itself.
/// `earlier_failures` counts failed lives of pods of that name.
std::optional<simulated_end> choose_simulated_end(const simulation& s,
                                                  const std::string& pod,
                                                  int earlier_failures);

} // namespace troupe::k8s::node
