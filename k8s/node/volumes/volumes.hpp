#pragma once

#include "k8s/node/base/start_error.hpp"
#include "k8s/node/volumes/config_sources.hpp"

#include <optional>
#include <vector>

namespace troupe::k8s::node {

// A pod's volumes as directories of this host, one each below the pod's own.
// Where nothing can be mounted, the preload library maps paths.

/// The ConfigMaps, Secrets and tokens that volumes are made of.
std::vector<config_source_name> config_sources_of_volumes(const json& pod);

/// Those of the volumes that show this source: a volume is written whole.
std::vector<config_source_name>
sources_of_same_volumes(const json& pod, const config_source_name& source);

/// Makes the volumes below `directory`, or brings them up to date; those whose
/// source is not in `data` stay as they are. Each file is replaced as a whole,
/// and removed when its key is gone. Errors are worded as by a kubelet.
std::optional<start_error> write_volumes(const json& pod,
                                         const std::string& directory,
                                         const config_sources& data);

/// Makes the directories of subPaths that volumes do not have yet. For volumes
/// that are filled, before a container can have put links into them.
std::optional<start_error>
make_sub_path_directories(const json& pod, const std::string& directory);

/// The emptyDirs that are to be in memory, below `directory`. One of which a
/// container mounts a part (subPath) is on disk all the same: its parts are
/// made outside of the containers.
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
  std::string part;   ///< Of the volume; "" is all.
  bool is_read_only = false;
};

/// The container's mounts, parents first.
std::vector<volume_mount> volume_mounts(const json& pod, const json& container,
                                        const std::string& directory);

/// Which paths of the container are where on this host (path_map.h).
std::string encode_mount_path_map(const json& pod, const json& container,
                                  const std::string& directory);

/// Why a mount of the container is not possible on this node, if so.
std::optional<start_error> find_unsupported_mount_error(const json& pod,
                                                        const json& container);

} // namespace troupe::k8s::node
