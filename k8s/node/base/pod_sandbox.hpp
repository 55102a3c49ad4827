#pragma once

#include "k8s/node/base/isolation.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s::node {

class cluster_namespaces;
struct container_namespaces;
struct pod_namespaces;

/// What a pod in namespaces has in addition; paths are the host's.
struct sandbox_namespaces {
  std::shared_ptr<cluster_namespaces> cluster;
  std::shared_ptr<const pod_namespaces> pod;
  std::string cluster_domain;
  std::string run_directory; ///< The node's; hidden, except the next ones.
  std::vector<std::string> visible_directories;
  std::vector<std::string> hidden_directories; ///< In addition to the node's.
  std::string claims_directory;                ///< Its claims can be mounted.
  std::string root_directory; ///< Each container builds its root here.
  std::string tmp_directory;  ///< The pod's own: /tmp of each container.
  std::string shm_directory;  ///< The pod's own.
  std::vector<std::string> memory_directories; ///< Of volumes in memory.
  /// Has the changes that containers make in the work directory.
  std::string working_dir_overlays;
};

/// The address, name and directories that the containers of a pod share.
struct pod_sandbox {
  std::string node;
  std::string pod;                       ///< The pod's name.
  std::string address;                   ///< The pod's.
  std::string hostname;                  ///< The pod's, at most 63 characters.
  std::string full_name;                 ///< With its subdomain; "" without.
  std::vector<std::string> dns_searches; ///< After the cluster's own.
  std::string host_address;
  std::string work_directory;             ///< Of containers that name none.
  bool is_work_directory_written = false; ///< Containers write into it.
  std::string preload_library;            ///< The file of the library.
  std::string hosts_file;                 ///< The names of services.
  std::string volumes_directory;          ///< The pod's own.
  std::string termination_directory; ///< The pod's own; see termination_file.
  std::string exec_contexts;         ///< The pod's own directory.
  std::string exec_context_links;    ///< Of all pods of the namespace.
  std::string tools_directory;       ///< This node's own programs.
  /// The host's variables: PATH, ...
  std::map<std::string, std::string> inherited;
  std::vector<int> gpus;     ///< The pod's own, by index.
  std::size_t node_gpus = 0; ///< How many the machine has.
  isolation_kind isolation = isolation_kind::preload;
  sandbox_namespaces namespaces; ///< With isolation by namespaces.
};

} // namespace troupe::k8s::node
