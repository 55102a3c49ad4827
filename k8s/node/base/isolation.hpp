#pragma once

#include <string>

namespace troupe::k8s::node {

/// How pods are kept apart on one host.
enum class isolation_kind {
  automatic,  ///< Namespaces if they work here, otherwise preload.
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

/// The isolation that a node has, and why no better one.
struct isolation_report {
  isolation_kind kind = isolation_kind::preload;
  std::string why_not; ///< Why there are no namespaces, unless that was chosen.
  /// What keeps programs from the preload library, if it was looked for.
  std::string why_no_preload = {};
  /// Containers share the working directory: the kernel has no overlay there.
  bool is_work_directory_shared = false;
  /// The working directory, if it is one that containers otherwise have of
  /// their own (such as /tmp).
  std::string shared_private_directory;
  /// The pods' network, if the host uses the same one.
  std::string taken_subnet;
  /// Why pods reach no other networks; "" if they do.
  std::string why_no_gateway;
  /// The working directory into which all containers write; "" if none was
  /// chosen.
  std::string written_work_directory = {};
};

} // namespace troupe::k8s::node
