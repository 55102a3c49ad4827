#pragma once

namespace troupe::core {

/// spec.runPolicy.progress, or the annotation.
struct progress_policy {
  /// Whether pods are told where to report how far they are.
  bool report = false;
};

} // namespace troupe::core
