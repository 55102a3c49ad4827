#pragma once

#include <string>

namespace troupe::k8s::node {

/// Why a pod or container does not start, as its status contains it.
struct start_error {
  std::string reason;        ///< One word.
  std::string message;       ///< Names the field and the fix.
  bool is_retryable = false; ///< A source may not exist yet.
};

/// The reasons that no further try can change, as a pod's status or that of a
/// container has them. StartError: the program cannot be executed.
inline constexpr const char* final_start_errors[] = {
    "InsufficientGPUs",   "NoCommand",  "NoScheduler",
    "NoWorkingDirectory", "StartError", "UnsupportedVolume",
};

} // namespace troupe::k8s::node
