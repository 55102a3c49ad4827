#pragma once

#include <string>

namespace troupe::k8s::node {

/// What keeps pods apart on one host.
enum class isolation_kind {
  automatic,  ///< Namespaces if all that they need works here, else preload.
  namespaces, ///< A network, mounts, processes and so on for each pod.
  preload,    ///< A library in each dynamically linked program.
  none,       ///< Nothing: pods are processes like others.
};

inline const char* isolation_name(isolation_kind i) {
  switch (i) {
  case isolation_kind::namespaces:
    return "namespaces";
  case isolation_kind::preload:
    return "preload";
  case isolation_kind::none:
    return "none";
  default:
    return "auto";
  }
}

/// What a node does, and why not more.
struct isolation_report {
  isolation_kind kind = isolation_kind::preload;
  std::string why_not; ///< Why there are no namespaces, unless so chosen.
  /// Containers share the working directory: the kernel has no overlay there.
  bool is_work_directory_shared = false;
  /// The working directory, if it takes the place of one that containers have
  /// of their own: /tmp.
  std::string shared_private_directory;
  /// The pods' network, if the host uses it, too.
  std::string taken_subnet;
  std::string why_no_gateway; ///< Why pods reach no other networks, if so.
  /// The working directory that all containers write into; "" if none is named.
  std::string written_work_directory = {};
};

} // namespace troupe::k8s::node
