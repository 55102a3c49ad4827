#include "k8s/node/namespaces/sandbox_setup.hpp"

#include "k8s/node/base/files.hpp"
#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/volumes/volumes.hpp"

#include <algorithm>
#include <filesystem>

namespace troupe::k8s::node {

namespace fs = std::filesystem;

namespace {

/// Of files that say nothing, of which programs leave many.
bool is_python_cache(const fs::path& directory) {
  return directory.filename() == "__pycache__";
}

/// Directories may be mount points, and devices are what overlays have in the
/// place of what was removed. What cannot be read counts.
bool has_files_or_is_unreadable(const fs::path& directory) {
  std::error_code wrong;
  fs::directory_iterator entries{directory, wrong};
  if (wrong)
    return wrong != std::errc::no_such_file_or_directory;
  return std::any_of(begin(entries), end(entries), [&](const auto& e) {
    auto status = e.symlink_status(wrong);
    if (fs::is_directory(status))
      return !is_python_cache(e.path()) && has_files_or_is_unreadable(e.path());
    return !fs::is_character_file(status);
  });
}

/// The kernel's own directories and the mark of a mount, and the layers of
/// containers that wrote nothing.
void remove_unwritten_overlays(const std::string& layers) {
  std::error_code wrong;
  std::vector<fs::path> containers;
  for (const auto& entry : fs::directory_iterator(layers, wrong))
    containers.push_back(entry.path());
  for (const auto& path : containers) {
    fs::remove(path / "mounted", wrong);
    remove_directory_tree(
        has_files_or_is_unreadable(path / "upper") ? path / "work" : path);
  }
  fs::remove(layers, wrong); // If it is empty.
}

std::optional<failure> mount_memory_volume(cluster_namespaces& cluster,
                                           const memory_volume& volume,
                                           sandbox_namespaces& n) {
  if (auto bad = make_directory_and_parents(volume.path))
    return bad;
  if (auto bad = cluster.mount_memory(volume.path, volume.size))
    return bad;
  n.memory_directories.push_back(volume.path);
  return std::nullopt;
}

void unmount_all_memory(cluster_namespaces& cluster,
                        const sandbox_namespaces& n) {
  for (const auto& path : n.memory_directories)
    cluster.unmount_memory(path);
  cluster.unmount_pod_shm(n.shm_directory);
}

} // namespace

std::optional<failure>
add_sandbox_namespaces(const json& pod,
                       const std::shared_ptr<cluster_namespaces>& cluster,
                       const node_directory& directory,
                       const std::string& domain, pod_sandbox& out) {
  auto uid = uid_of(pod);
  auto ref = pod_ref(pod);
  auto& n = out.namespaces;
  // Before there is anything to show in it.
  n.visible_directories = directory.directories_visible_to_pods(ref.ns);
  for (const auto& path : n.visible_directories)
    if (auto bad = make_directory_and_parents(path))
      return bad;
  n.shm_directory = directory.shm_directory(uid);
  if (auto bad = make_directory_and_parents(n.shm_directory))
    return bad;
  auto made =
      cluster->make_pod_namespaces(out.address, out.hostname, n.shm_directory);
  if (!made) {
    cluster->unmount_pod_shm(n.shm_directory); // It may be mounted.
    remove_directory_tree(n.shm_directory);
    return made.error();
  }
  for (const auto& volume : memory_volumes(pod, out.volumes_directory))
    if (auto bad = mount_memory_volume(*cluster, volume, n)) {
      unmount_all_memory(*cluster, n);
      return bad;
    }
  n.cluster = cluster;
  n.pod = std::move(*made);
  n.cluster_domain = domain;
  n.run_directory = directory.path();
  n.root_directory = directory.container_roots();
  n.tmp_directory = directory.tmp_dirs(uid);
  n.working_dir_overlays =
      directory.working_dir_overlays(ref.ns, ref.name, uid);
  out.isolation = isolation_kind::namespaces;
  out.host_address = cluster->subnet().bridge_address();
  out.inherited.erase("TMPDIR"); // The host's; a container's is /tmp.
  return std::nullopt;
}

void unmount_and_remove_sandbox_directories(cluster_namespaces& cluster,
                                            const pod_sandbox& sandbox) {
  const auto& n = sandbox.namespaces;
  unmount_all_memory(cluster, n);
  // What stays goes with the run directory at the latest.
  remove_directory_tree(n.shm_directory);
  remove_directory_tree(n.tmp_directory);
  remove_unwritten_overlays(n.working_dir_overlays);
}

bool has_claim_files(const node_directory& directory) {
  return has_files_or_is_unreadable(directory.claims_directory());
}

bool has_overlay_files(const node_directory& directory) {
  std::error_code wrong;
  for (const auto& pod :
       fs::directory_iterator(directory.overlays_directory(), wrong))
    for (const auto& container : fs::directory_iterator(pod.path(), wrong))
      if (has_files_or_is_unreadable(container.path() / "upper"))
        return true;
  return false;
}

} // namespace troupe::k8s::node
