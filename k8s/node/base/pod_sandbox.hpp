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

/// What a pod in namespaces of its own has beside the rest: paths of the host.
struct sandbox_namespaces {
  std::shared_ptr<cluster_namespaces> cluster;
  std::shared_ptr<const pod_namespaces> pod;
  std::string cluster_domain;
  std::string run_directory; ///< The node's; hidden, but for the next ones.
  std::vector<std::string> visible_directories;
  std::vector<std::string> hidden_directories; ///< Beside the node's.
  std::string claims_directory; ///< Claims are volumes though it is hidden.
  std::string root_directory;   ///< Where each container builds its root.
  std::string tmp_directory;    ///< The pod's own: /tmp of each container.
  std::string shm_directory;    ///< The pod's own.
  std::vector<std::string> memory_directories; ///< Volumes, likewise.
  /// What containers change in the work directory.
  std::string working_dir_overlays;
};

/// What the containers of a pod share: its address, name and directories.
struct pod_sandbox {
  std::string node;
  std::string address;  ///< The pod's.
  std::string hostname; ///< The pod's.
  std::string host_address;
  std::string work_directory; ///< Where containers work that name no directory.
  bool is_work_directory_written = false; ///< They write into that itself.
  std::string preload_library;            ///< Its file.
  std::string hosts_file;                 ///< The names of services.
  std::string volumes_directory;          ///< The pod's own.
  std::string exec_contexts;              ///< The pod's own directory.
  std::string exec_context_links; ///< A link to each of the namespace's.
  std::string tools_directory;    ///< This node's own programs.
  std::map<std::string, std::string> inherited; ///< From the host: PATH, ...
  std::vector<int> gpus;                        ///< The pod's own, by index.
  std::size_t node_gpus = 0;                    ///< How many the machine has.
  isolation_kind isolation = isolation_kind::preload;
  sandbox_namespaces namespaces; ///< With isolation by namespaces.
};

} // namespace troupe::k8s::node
