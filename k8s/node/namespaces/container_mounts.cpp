#include "k8s/node/namespaces/container_mounts.hpp"

#include "k8s/node/base/dns_settings.hpp"
#include "k8s/node/base/files.hpp"
#include "k8s/node/base/open_in_root.h"
#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/base/unique_descriptor.hpp"
#include "k8s/node/volumes/termination_file.hpp"
#include "k8s/node/volumes/volumes.hpp"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>

namespace troupe::k8s::node {

namespace {

/// Directories that are empty in a container: what of the host is to be seen
/// there has to be mounted again.
constexpr const char* private_directories[] = {"/tmp", "/run", "/dev/shm"};

bool is_in_private_directory(const std::string& path) {
  return std::any_of(std::begin(private_directories),
                     std::end(private_directories),
                     [&](const std::string& own) {
                       return (path + "/").rfind(own + "/", 0) == 0;
                     });
}

bool is_inside(const std::string& path, const std::string& directory) {
  return directory == "/" || (path + "/").rfind(directory + "/", 0) == 0;
}

/// What is in these is the node's and the API server's: tokens, keys, other
/// pods' files. Where containers work in one it cannot be hidden from them.
std::vector<std::string> hidden_directories(const pod_sandbox& s) {
  std::vector<std::string> out{s.namespaces.run_directory};
  for (const auto& path : s.namespaces.hidden_directories)
    if (!is_inside(s.work_directory, path))
      out.push_back(path);
  return out;
}

/// Whether a container would see the directory if nothing were mounted there.
bool is_visible_without_mount(const std::string& path, const pod_sandbox& s) {
  return !is_in_private_directory(path)
         || (s.work_directory != "/" && is_inside(path, s.work_directory));
}

namespace fs = std::filesystem;

/// Without links, as far as it is there.
std::string real_path(const std::string& path) {
  std::error_code ignored;
  auto real = fs::weakly_canonical(path, ignored);
  return real.empty() ? path : real.string();
}

/// The part of a directory, without links, none of which leads out of it; as it
/// is if nothing is there.
std::string real_part(const std::string& directory, const std::string& part) {
  if (part.empty())
    return part;
  unique_descriptor root{::open(directory.c_str(), O_PATH | O_CLOEXEC)};
  unique_descriptor found{
      root.get() < 0 ? -1 : open_in_root(root.get(), part.c_str())};
  std::error_code wrong;
  auto path =
      fs::read_symlink("/proc/self/fd/" + std::to_string(found.get()), wrong);
  if (found.get() < 0 || wrong || !is_inside(path.string(), directory))
    return part;
  return path == directory ? "" : path.lexically_relative(directory).string();
}

/// Whether it is in a directory of the pod's own, or a claim of its namespace.
bool is_own_volume_or_claim(const std::string& path, const std::string& ns,
                            const pod_sandbox& s) {
  const auto& claims = s.namespaces.claims_directory;
  const auto own = claims + "/" + ns;
  return is_inside(path, s.volumes_directory)
         || (!claims.empty() && is_inside(path, own) && path != own);
}

/// A volume shows nothing of hidden directories, be it inside of one or around.
void add_volume_mount(const volume_mount& m, const std::string& ns,
                      const pod_sandbox& s, std::vector<container_mount>& out) {
  const auto volume = real_path(m.volume);
  container_mount all{m.is_read_only ? "bind-ro" : "bind", m.path, volume,
                      real_part(volume, m.part)};
  const auto shown =
      all.part.empty()
          ? volume
          : (fs::path{volume} / all.part).lexically_normal().string();
  if (is_own_volume_or_claim(shown, ns, s)) {
    out.push_back(std::move(all));
    return;
  }
  const auto hidden = hidden_directories(s);
  bool is_hidden =
      std::any_of(hidden.begin(), hidden.end(),
                  [&](const auto& path) { return is_inside(shown, path); });
  if (is_hidden) {
    out.push_back({"empty", m.path, ""});
    return;
  }
  out.push_back(std::move(all));
  for (const auto& path : hidden)
    if (is_inside(path, shown))
      out.push_back(
          {"empty", m.path + path.substr(shown == "/" ? 0 : shown.size()), ""});
}

void add_sandbox_mounts(const json& pod, const std::string& container,
                        const pod_sandbox& s,
                        std::vector<container_mount>& out) {
  const auto& n = s.namespaces;
  out.push_back({"bind", "/tmp", n.tmp_directory + "/" + container});
  out.push_back({"bind", "/dev/shm", n.shm_directory});
  // Nothing of the node and of other pods, but what kubectl needs.
  for (const auto& path : hidden_directories(s))
    if (path == n.run_directory || is_visible_without_mount(path, s))
      out.push_back({"empty", path, ""});
  for (const auto& path : n.visible_directories)
    out.push_back({"bind-ro", path, path});
  out.push_back({"text", "/etc/hosts", make_etc_hosts(s)});
  out.push_back({"text", "/etc/hostname", s.hostname + "\n"});
  out.push_back({"text", "/etc/resolv.conf",
                 make_resolv_conf(pod, n.cluster_domain, s.host_address)});
  bool is_written = s.is_work_directory_written && s.work_directory != "/";
  if (is_written || is_in_private_directory(s.work_directory))
    out.push_back({"bind", s.work_directory, s.work_directory});
  if (!is_written && s.work_directory != "/")
    out.push_back({"overlay", s.work_directory,
                   n.working_dir_overlays + "/" + container});
  for (auto& m : out)
    if (m.how != "text" && m.how != "empty")
      m.source = real_path(m.source);
}

/// No host has to have room for it at the usual path: containers that write no
/// message run there as well.
void add_termination_file_mount(const json& container, const pod_sandbox& s,
                                std::vector<container_mount>& out) {
  const auto target = termination_file_target(container, s);
  if (target.empty())
    return;
  const auto file = termination_file(text_at(container, {"name"}), s);
  out.push_back(
      {target == default_termination_path ? "bind-if-possible" : "bind", target,
       real_path(file)});
}

} // namespace

std::string find_private_directory_at(const std::string& work_directory) {
  for (std::string own : private_directories)
    if (work_directory == own)
      return own;
  return "";
}

std::vector<container_mount> make_container_mounts(const json& pod,
                                                   const json& container,
                                                   const pod_sandbox& sandbox) {
  std::vector<container_mount> out;
  add_sandbox_mounts(pod, text_at(container, {"name"}), sandbox, out);
  for (const auto& m : volume_mounts(pod, container, sandbox.volumes_directory))
    add_volume_mount(m, text_at(pod, {"metadata", "namespace"}), sandbox, out);
  add_termination_file_mount(container, sandbox, out);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.target.size() < b.target.size();
  });
  return out;
}

std::string encode_mounts(const pod_sandbox& sandbox,
                          const std::vector<container_mount>& mounts) {
  constexpr char end = '\0';
  auto text = sandbox.namespaces.root_directory + end;
  for (const auto& m : mounts)
    text += m.how + end + m.target + end + m.source + end + m.part + end;
  return text;
}

std::optional<failure>
make_container_directories_with_empty_tmp(const std::string& container,
                                          const pod_sandbox& sandbox) {
  const auto& n = sandbox.namespaces;
  auto tmp = n.tmp_directory + "/" + container;
  auto layers = n.working_dir_overlays + "/" + container;
  remove_directory_tree(tmp);
  for (const auto& path : {n.root_directory, n.shm_directory, tmp,
                           layers + "/upper", layers + "/work"})
    if (auto bad = make_directory_and_parents(path))
      return bad;
  ::chmod(tmp.c_str(), 01777);
  // The root of an overlay looks like its upper directory.
  struct stat work {};
  if (::stat(sandbox.work_directory.c_str(), &work) == 0)
    ::chmod((layers + "/upper").c_str(), work.st_mode & 07777);
  return std::nullopt;
}

std::string make_etc_hosts(const pod_sandbox& sandbox) {
  auto line = sandbox.address + "\t";
  if (!sandbox.full_name.empty())
    line += sandbox.full_name + "\t";
  return "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
         + line + sandbox.hostname + "\n";
}

} // namespace troupe::k8s::node
