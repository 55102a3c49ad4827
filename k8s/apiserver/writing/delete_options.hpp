#pragma once

#include "k8s/apiserver/resources/request_info.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::k8s::apiserver {

/// metav1.DeleteOptions. The UID and the version are preconditions, "" for
/// none.
struct delete_options {
  std::optional<std::int64_t> grace_period; ///< In seconds, never below 0.
  /// Foreground, Background or Orphan. "": as the object's finalizers say.
  std::string propagation_policy;
  /// Orphan takes the place of "", unless a finalizer says Foreground.
  bool orphans_by_default = false;
  std::string uid;
  std::string resource_version;
  bool dry_run = false;
};

/// Reads the options from the body of a DELETE, or, if it has none, from the
/// query.
status_or<delete_options> parse_delete_options(const request_info& info,
                                               const json& body);

} // namespace troupe::k8s::apiserver
