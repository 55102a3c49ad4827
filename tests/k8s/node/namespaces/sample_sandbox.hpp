#pragma once

#include "k8s/json.hpp"
#include "k8s/node/base/pod_sandbox.hpp"

namespace troupe::k8s::node {

/// A pod, and what its containers share on this node.
inline const json pod = json::parse(R"({
  "metadata": {"name": "p", "namespace": "n", "uid": "u-1",
    "labels": {"a/b": "label"}, "annotations": {"c": "note"}},
  "spec": {}})");

inline pod_sandbox sandbox() {
  pod_sandbox p;
  p.node = "laptop";
  p.pod = "p";
  p.address = "127.9.0.2";
  p.hostname = "host";
  p.host_address = "127.0.0.1";
  p.work_directory = "/";
  p.preload_library = "/run/lib.so";
  p.hosts_file = "/run/hosts";
  p.exec_context_links = "/run/pods/n";
  p.tools_directory = "/run/tools";
  p.inherited = {{"PATH", "/bin"}, {"HOME", "/home"}};
  return p;
}

} // namespace troupe::k8s::node
