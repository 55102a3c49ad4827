#pragma once

#include <map>
#include <string>

namespace troupe::k8s::node {

/// What the containers of a pod share: its address, name and directories.
struct pod_sandbox {
  std::string node;
  std::string address;  ///< The pod's.
  std::string hostname; ///< The pod's.
  std::string host_address;
  std::string work_directory; ///< Where containers work that name no directory.
  std::string preload_library;    ///< Its file.
  std::string hosts_file;         ///< The names of services.
  std::string volumes_directory;  ///< The pod's own.
  std::string exec_contexts;      ///< The pod's own directory.
  std::string exec_context_links; ///< A link to each of the namespace's.
  std::string tools_directory;    ///< This node's own programs.
  std::map<std::string, std::string> inherited; ///< From the host: PATH, ...
};

} // namespace troupe::k8s::node
