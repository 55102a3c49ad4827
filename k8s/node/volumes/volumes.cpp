#include "k8s/node/volumes/volumes.hpp"

#include "k8s/general/files.hpp"
#include "k8s/node/base/files.hpp"
#include "k8s/node/base/open_in_root.h"
#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/node/volumes/initial_files.hpp"
#include "k8s/node/volumes/projections.hpp"
#include "k8s/node/volumes/resource_fields.hpp"
#include "k8s/node/volumes/volume_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <sys/stat.h>

namespace troupe::k8s::node {

namespace {

namespace fs = std::filesystem;

const json& list_volumes(const json& pod) {
  static const json none = json::object();
  auto* spec = find_value(pod, {"spec"});
  return list_at(spec ? *spec : none, "volumes");
}

const json* find_volume(const json& pod, const std::string& name) {
  for (const auto& v : list_volumes(pod))
    if (text_at(v, {"name"}) == name)
      return &v;
  return nullptr;
}

/// The kind of a volume: its field other than the name; without one it is an
/// emptyDir.
std::string volume_kind_or_empty_dir(const json& volume) {
  for (const auto& [key, value] : volume.items())
    if (key != "name" && value.is_object())
      return key;
  return "emptyDir";
}

/// Without a slash at its end, or two in a row; "" is the root.
std::string without_extra_slashes(const std::string& path) {
  std::string out;
  for (char c : path)
    if (c != '/' || out.empty() || out.back() != '/')
      out += c;
  while (!out.empty() && out.back() == '/')
    out.pop_back();
  return out;
}

/// The kubelet's checks of a hostPath, as far as they concern directories.
std::optional<start_error> create_or_check_host_directory(const json& volume) {
  const auto& path = text_at(volume, {"hostPath", "path"});
  const auto& type = text_at(volume, {"hostPath", "type"});
  if (type == "DirectoryOrCreate")
    if (auto bad = make_directory_and_parents(path, 0755))
      return volume_setup_error(volume, bad->message, true);
  std::error_code wrong;
  if (type == "Directory" && !fs::is_directory(path, wrong))
    return volume_setup_error(
        volume, "hostPath type check failed: " + path + " is not a directory",
        true);
  return std::nullopt;
}

bool is_writable_volume(const json& volume) {
  auto kind = volume_kind_or_empty_dir(volume);
  return kind == "emptyDir" || kind == "hostPath";
}

/// Where the volume is on this host, its pod's volumes being in `directory`.
std::string volume_host_path(const json& volume, const std::string& directory) {
  if (volume_kind_or_empty_dir(volume) != "hostPath")
    return directory + "/" + text_at(volume, {"name"});
  auto path = without_extra_slashes(text_at(volume, {"hostPath", "path"}));
  return path.empty() ? "/" : path;
}

std::string join_paths(const std::string& directory, const std::string& part) {
  if (part.empty())
    return directory;
  return directory == "/" ? "/" + part : directory + "/" + part;
}

/// What is wrong with a volume's own fields, "" if nothing is.
std::string find_volume_error(const json& volume) {
  static const std::set<std::string> known{"configMap",   "secret",
                                           "downwardAPI", "emptyDir",
                                           "hostPath",    "projected"};
  auto kind = volume_kind_or_empty_dir(volume);
  if (kind == "persistentVolumeClaim")
    return "its claimName \"" + text_at(volume, {kind.c_str(), "claimName"})
           + "\" is no name of a claim";
  if (known.count(kind) == 0)
    return "this node has no " + kind
           + ", only configMap, secret, downwardAPI, projected, emptyDir, "
             "persistentVolumeClaim and hostPath; containers are processes of "
             "this host here: use a hostPath, or a path of the host";
  if (const auto& path = text_at(volume, {"hostPath", "path"});
      kind == "hostPath" && (path.empty() || path.front() != '/'))
    return "hostPath.path \"" + path
           + "\" is no absolute path; begin it with a slash";
  if (auto source = find_unknown_projection_kind(volume); !source.empty())
    return "this node projects no " + source
           + ", only configMap, secret, serviceAccountToken and downwardAPI";
  return "";
}

/// Makes what is missing of a part of a directory, and nothing outside of it,
/// where links may lead. What cannot be opened is told by who opens it.
std::optional<failure> make_directories_inside(const std::string& root,
                                               const std::string& part) {
  unique_descriptor top{::open(root.c_str(), O_PATH | O_CLOEXEC)};
  std::string above;
  for (const auto& name : fs::path(part)) {
    if (name.empty() || name == ".")
      continue;
    auto path = join_paths(above.empty() ? "." : above, name.string());
    unique_descriptor there{open_in_root(top.get(), path.c_str())};
    unique_descriptor parent{
        open_in_root(top.get(), above.empty() ? "." : above.c_str())};
    if (there.get() < 0 && parent.get() >= 0
        && ::mkdirat(parent.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
      return failure{ec::invalid, "cannot make " + join_paths(root, part) + ": "
                                      + std::strerror(errno)};
    above = path;
  }
  return std::nullopt;
}

/// The one of a subPath, in a volume that is there.
std::optional<start_error> make_sub_path_directory(const json& mount,
                                                   const json& container,
                                                   const std::string& root) {
  const auto& part = text_at(mount, {"subPath"});
  std::error_code wrong;
  if (!is_relative_without_dot_dot(part) || !fs::is_directory(root, wrong))
    return std::nullopt; // Told by others.
  if (auto bad = make_directories_inside(root, part))
    return start_error{"CreateContainerConfigError",
                       "failed to create subPath directory for volumeMount \""
                           + text_at(mount, {"name"}) + "\" of container \""
                           + text_at(container, {"name"})
                           + "\": " + bad->message,
                       true};
  return std::nullopt;
}

bool has_mounted_part(const json& pod, const std::string& volume) {
  for (auto list : {"initContainers", "containers"})
    for (const auto& container : list_at(value_at(pod, {"spec"}), list))
      for (const auto& mount : list_at(container, "volumeMounts"))
        if (text_at(mount, {"name"}) == volume
            && !text_at(mount, {"subPath"}).empty())
          return true;
  return false;
}

} // namespace

std::vector<config_source_name> config_sources_of_volumes(const json& pod) {
  std::vector<config_source_name> names;
  for (const auto& v : list_volumes(pod))
    for (const auto& p : parse_volume_projections(v))
      if (p.source)
        names.push_back(*p.source);
  return names;
}

std::vector<config_source_name>
sources_of_same_volumes(const json& pod, const config_source_name& source) {
  std::vector<config_source_name> out;
  for (const auto& v : list_volumes(pod)) {
    std::vector<config_source_name> own;
    for (const auto& p : parse_volume_projections(v))
      if (p.source)
        own.push_back(*p.source);
    if (std::find(own.begin(), own.end(), source) != own.end())
      out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

std::optional<start_error>
write_volumes_if_sources_read(const json& pod, const std::string& directory,
                              const config_sources& data) {
  for (const auto& volume : list_volumes(pod)) {
    auto own = directory + "/" + text_at(volume, {"name"});
    if (volume_kind_or_empty_dir(volume) == "hostPath") {
      if (auto r = create_or_check_host_directory(volume))
        return r;
      continue;
    }
    if (auto bad = make_directory_and_parents(own))
      return volume_setup_error(volume, bad->message, true);
    if (auto bad = write_initial_files(volume, own))
      return volume_setup_error(volume, bad->message, true);
    if (auto r = write_projections_if_all_read(pod, volume, own, data))
      return r;
  }
  return std::nullopt;
}

std::optional<start_error>
make_sub_path_directories(const json& pod, const std::string& directory) {
  auto* spec = find_value(pod, {"spec"});
  for (auto list : {"initContainers", "containers"})
    for (const auto& container : list_at(spec ? *spec : pod, list))
      for (const auto& mount : list_at(container, "volumeMounts"))
        if (auto* volume = find_volume(pod, text_at(mount, {"name"}));
            volume && is_writable_volume(*volume))
          if (auto r = make_sub_path_directory(
                  mount, container, volume_host_path(*volume, directory)))
            return r;
  return std::nullopt;
}

std::vector<memory_volume> memory_volumes(const json& pod,
                                          const std::string& directory) {
  std::vector<memory_volume> out;
  for (const auto& volume : list_volumes(pod)) {
    const auto& name = text_at(volume, {"name"});
    if (text_at(volume, {"emptyDir", "medium"}) != "Memory"
        || !is_relative_without_dot_dot(name) || has_mounted_part(pod, name))
      continue;
    auto milli =
        parse_milli_quantity(value_at(volume, {"emptyDir", "sizeLimit"}));
    out.push_back({directory + "/" + name, milli.value_or(0) / 1000});
  }
  return out;
}

std::vector<volume_mount> volume_mounts(const json& pod, const json& container,
                                        const std::string& directory) {
  std::vector<volume_mount> mounts;
  for (const auto& mount : list_at(container, "volumeMounts")) {
    auto* volume = find_volume(pod, text_at(mount, {"name"}));
    if (!volume)
      continue;
    bool is_read_only =
        !is_writable_volume(*volume) || bool_at(mount, {"readOnly"});
    mounts.push_back({without_extra_slashes(text_at(mount, {"mountPath"})),
                      volume_host_path(*volume, directory),
                      text_at(mount, {"subPath"}), is_read_only});
  }
  std::sort(mounts.begin(), mounts.end(), [](const auto& a, const auto& b) {
    return a.path.size() < b.path.size();
  });
  return mounts;
}

std::string encode_mount_path_map(const json& pod, const json& container,
                                  const std::string& directory) {
  auto mounts = volume_mounts(pod, container, directory);
  // A mount inside another one counts before it.
  std::string text;
  for (auto m = mounts.rbegin(); m != mounts.rend(); ++m)
    text += (text.empty() ? "" : ":") + m->path + ":"
            + join_paths(m->volume, m->part);
  return text;
}

std::optional<start_error> find_unsupported_mount_error(const json& pod,
                                                        const json& container) {
  for (const auto& mount : list_at(container, "volumeMounts")) {
    const auto& name = text_at(mount, {"name"});
    const auto& path = text_at(mount, {"mountPath"});
    // Added to every pod by default.
    if (name.rfind("kube-api-access", 0) == 0)
      continue;
    auto refused = [&](const std::string& why) {
      return start_error{"UnsupportedVolume",
                         "container " + text_at(container, {"name"})
                             + ": volume \"" + name + "\" cannot be mounted at "
                             + path + ": " + why};
    };
    auto* volume = find_volume(pod, name);
    if (!volume)
      return refused("there is no such volume in spec.volumes; add it");
    if (auto why = find_volume_error(*volume); !why.empty())
      return refused(why);
    if (without_extra_slashes(path).empty() || path.front() != '/'
        || path.find(':') != std::string::npos)
      return refused("mountPath must be an absolute path below /, without "
                     "colons");
    if (!text_at(mount, {"subPathExpr"}).empty())
      return refused("this node knows subPath, but no subPathExpr");
    const auto& part = text_at(mount, {"subPath"});
    if (!part.empty() && !is_relative_without_dot_dot(part))
      return refused("subPath \"" + part + "\" must stay in the volume");
  }
  return std::nullopt;
}

} // namespace troupe::k8s::node
