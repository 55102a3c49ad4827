#pragma once

#include "k8s/node/base/start_error.hpp"
#include "k8s/node/volumes/config_sources.hpp"

#include <optional>
#include <vector>

namespace troupe::k8s::node {

// A pod's volumes are directories of this host, below a directory of the pod.
// If nothing can be mounted, the preload library maps paths.

/// The ConfigMaps, Secrets and tokens from which the pod's volumes are made.
std::vector<config_source_name> config_sources_of_volumes(const json& pod);

/// All sources of the volumes that show `source`: a volume is written as a
/// whole.
std::vector<config_source_name>
sources_of_same_volumes(const json& pod, const config_source_name& source);

/// Makes the volumes below `directory`, or brings them up to date; a volume
/// stays as it is if one of its sources is not in `data`. Each file is replaced
/// as a whole, and removed if its key is gone. Makes and checks hostPath
/// directories. Errors have a kubelet's words.
std::optional<start_error>
write_volumes_if_sources_read(const json& pod, const std::string& directory,
                              const config_sources& data);

/// Makes missing directories of subPaths in writable volumes. Must be called
/// after write_volumes_if_sources_read and before any container can put links
/// into them.
std::optional<start_error>
make_sub_path_directories(const json& pod, const std::string& directory);

/// An emptyDir that is to be in memory, below the pod's directory. If a
/// container mounts a part of it (subPath), it is on disk: parts are made
/// outside of containers.
struct memory_volume {
  std::string path;
  std::int64_t size = 0; ///< Bytes; 0: no limit of its own.
};
std::vector<memory_volume> memory_volumes(const json& pod,
                                          const std::string& directory);

/// One of a container's mounts.
struct volume_mount {
  std::string path;   ///< In the container.
  std::string volume; ///< On this host.
  std::string part;   ///< Of the volume; "" for all.
  bool is_read_only = false;
};

/// The container's mounts, parents first.
std::vector<volume_mount> volume_mounts(const json& pod, const json& container,
                                        const std::string& directory);

/// The paths of the container's mounts and of this host, for path_map.h.
std::string encode_mount_path_map(const json& pod, const json& container,
                                  const std::string& directory);

/// Why this node cannot mount one of the container's volumes, if so.
std::optional<start_error> find_unsupported_mount_error(const json& pod,
                                                        const json& container);

} // namespace troupe::k8s::node
