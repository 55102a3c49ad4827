#pragma once

#include "k8s/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// The paths of files in the run directory.
class node_directory {
public:
  explicit node_directory(std::string path)
      : path_(std::move(path)) {}

  /// Makes the directory and writes the programs and the library into it.
  std::optional<failure> create_with_programs() const;

  std::string preload_library_file() const {
    return path_ + "/libtroupe_preload.so";
  }
  std::string reaper_file() const { return path_ + "/troupe-reaper"; }
  std::string namespace_holder_file() const {
    return path_ + "/troupe-namespaces";
  }
  std::string tools_directory() const { return path_ + "/tools"; }
  const std::string& path() const { return path_; }

  /// The names of services as pods of the namespace see them.
  std::string hosts_file(const std::string& ns) const {
    return path_ + "/hosts/" + ns;
  }
  /// Links to the exec contexts of the namespace's pods, by their names.
  std::string exec_context_links(const std::string& ns) const {
    return path_ + "/pods/" + ns;
  }
  std::string exec_contexts(const std::string& ns,
                            const std::string& pod_uid) const {
    return path_ + "/contexts/" + ns + "/" + pod_uid;
  }
  std::string volumes_directory(const std::string& pod_uid) const {
    return path_ + "/volumes/" + pod_uid;
  }
  /// Has the files of containers for termination messages.
  std::string termination_directory(const std::string& pod_uid) const {
    return path_ + "/messages/" + pod_uid;
  }
  /// The volumes of claims, which outlive their pods.
  std::string claims_directory() const { return path_ + "/claims"; }
  /// Containers in namespaces build their root here, each its own.
  std::string container_roots() const { return path_ + "/root"; }
  /// Has /tmp of each container of a pod in namespaces.
  std::string tmp_dirs(const std::string& pod_uid) const {
    return path_ + "/scratch/" + pod_uid;
  }
  std::string shm_directory(const std::string& pod_uid) const {
    return path_ + "/shm/" + pod_uid;
  }
  std::string overlays_directory() const { return path_ + "/work"; }
  /// Has what containers in namespaces wrote into their working directories.
  std::string working_dir_overlays(const std::string& ns,
                                   const std::string& name,
                                   const std::string& pod_uid) const {
    return overlays_directory() + "/" + ns + "_" + name + "_" + pod_uid;
  }
  /// The directories that pods of the namespace may see. A pod that sees an
  /// exec context can run commands there, so it sees only those of its own
  /// namespace.
  std::vector<std::string>
  directories_visible_to_pods(const std::string& ns) const {
    return {path_ + "/tools", exec_context_links(ns),
            path_ + "/contexts/" + ns};
  }
  std::string log_directory(const std::string& ns, const std::string& name,
                            const std::string& pod_uid) const {
    return path_ + "/logs/" + ns + "_" + name + "_" + pod_uid;
  }

private:
  std::string path_;
};

} // namespace troupe::k8s::node
