#pragma once

#include <string>

namespace troupe::k8s::node {

/// Why a pod or container does not start, as its status says it.
struct start_error {
  std::string reason;        ///< One word.
  std::string message;       ///< Names the field and the fix.
  bool is_retryable = false; ///< A source may not exist yet.
};

/// The reasons, in a pod's or container's status, after which another try
/// cannot succeed. StartError: the program cannot be executed.
inline constexpr const char* final_start_errors[] = {
    "InsufficientGPUs",   "NoCommand",  "NoScheduler",
    "NoWorkingDirectory", "StartError", "UnsupportedVolume",
};

} // namespace troupe::k8s::node
