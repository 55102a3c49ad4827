#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// How containers end whose pod has a name like this.
struct simulated_failure {
  std::string pod_pattern; ///< "mnist-worker-?", with * and ? as in file names.
  int exit_code = 1;
  /// After the start; nullopt: when it would have ended without failure.
  std::optional<std::chrono::milliseconds> after;
  bool once = false; ///< The next life of a pod of this name does not fail.
};

/// What simulated pods do instead of running programs.
struct simulation {
  std::chrono::milliseconds run_time{10'000}; ///< 0: until they are deleted.
  std::vector<simulated_failure> failures; ///< The first that matches counts.
};

/// The end of one life of a container.
struct simulated_end {
  std::chrono::milliseconds after;
  int exit_code = 0;
};

/// How the life of a pod ends of whose name `earlier_failures` have failed;
/// nullopt if it does not by itself.
std::optional<simulated_end> choose_simulated_end(const simulation& s,
                                                  const std::string& pod,
                                                  int earlier_failures);

} // namespace troupe::k8s::node
