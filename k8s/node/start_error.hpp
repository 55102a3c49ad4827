#pragma once

#include <string>

namespace troupe::k8s::node {

/// Why a pod or container does not start, as its status contains it.
struct start_error {
  std::string reason;        ///< One word.
  std::string message;       ///< Names the field and the fix.
  bool is_retryable = false; ///< A source may not exist yet.
};

} // namespace troupe::k8s::node
