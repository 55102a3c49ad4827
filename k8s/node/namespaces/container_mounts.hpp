#pragma once

#include "k8s/json.hpp"
#include "k8s/node/base/pod_sandbox.hpp"
#include "k8s/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// One mount of a container in namespaces of its own.
struct container_mount {
  std::string how;       ///< A word that container_root.h lists.
  std::string target;    ///< In the container.
  std::string source;    ///< On the host, without links, or a file's text.
  std::string part = {}; ///< Of the source; without links, too.
};

/// The mounts of a container, its own directories and the pod's volumes:
/// parents first, and a volume after the mount that it covers.
std::vector<container_mount> make_container_mounts(const json& pod,
                                                   const json& container,
                                                   const pod_sandbox& sandbox);

/// The working directory, if it is one of the directories that containers
/// otherwise have of their own (it is the host's then); otherwise "".
std::string find_private_directory_at(const std::string& work_directory);

/// The text in which the reaper reads mounts (container_root.h).
std::string encode_mounts(const pod_sandbox& sandbox,
                          const std::vector<container_mount>& mounts);

/// Makes the container's own directories on the host, and empties its /tmp. Its
/// changes in the working directory stay from one life to the next.
std::optional<failure>
make_container_directories_with_empty_tmp(const std::string& container,
                                          const pod_sandbox& sandbox);

/// The text of a pod's /etc/hosts.
std::string make_etc_hosts(const pod_sandbox& sandbox);

} // namespace troupe::k8s::node
