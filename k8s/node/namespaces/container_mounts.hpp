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
  std::string how;       ///< A word of container_root.h.
  std::string target;    ///< In the container.
  std::string source;    ///< On the host, without links, or a file's text.
  std::string part = {}; ///< Of the source; what is there has no links either.
};

/// What is mounted in the container, what it has of its own and the pod's
/// volumes: parents first, and a volume after what it takes the place of.
std::vector<container_mount> make_container_mounts(const json& pod,
                                                   const json& container,
                                                   const pod_sandbox& sandbox);

/// Which of the directories that containers have of their own is the host's
/// all the same, as it is the working directory; "" if none is.
std::string find_private_directory_at(const std::string& work_directory);

/// The form in which the reaper reads them.
std::string encode_mounts(const pod_sandbox& sandbox,
                          const std::vector<container_mount>& mounts);

/// Makes the container's own directories on the host; what is in its working
/// directory stays from one life to the next, /tmp does not.
std::optional<failure> make_container_directories(const std::string& container,
                                                  const pod_sandbox& sandbox);

/// Texts of a pod's files in /etc.
std::string make_etc_hosts(const json& pod, const pod_sandbox& sandbox);
std::string make_resolv_conf(const std::string& ns, const std::string& domain,
                             const std::string& name_server);

} // namespace troupe::k8s::node
