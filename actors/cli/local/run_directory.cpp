#include "actors/cli/local/run_directory.hpp"

#include "k8s/node/base/files.hpp"
#include "k8s/node/namespaces/sandbox_setup.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::cli {

namespace fs = std::filesystem;
using k8s::ec;
using k8s::failure;

namespace {

constexpr const char* name_prefix = "troupe-";
constexpr const char* lock_name = "/.lock";

/// Whether a directory is ours, has the file that is locked by its process, and
/// that process is gone.
bool is_abandoned_run_directory(const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0 || !S_ISDIR(there.st_mode)
      || there.st_uid != ::geteuid())
    return false;
  int file =
      ::open((path + lock_name).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0)
    return false;
  bool is_free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return is_free;
}

/// All but what pods wrote, their logs, and the lock by which it is known.
void remove_all_but_pod_files(const std::string& path) {
  std::error_code ignored;
  std::vector<fs::path> others;
  for (const auto& entry : fs::directory_iterator{path, ignored}) {
    auto name = "/" + entry.path().filename().string();
    if (name != "/work" && name != "/logs" && name != "/claims"
        && name != lock_name)
      others.push_back(entry.path());
  }
  for (const auto& other : others)
    k8s::node::remove_directory_tree(other);
}

} // namespace

k8s::result<std::unique_ptr<run_directory>>
run_directory::open_named_or_make_new(const std::string& named) {
  std::error_code wrong;
  if (!named.empty()) {
    auto bad = k8s::node::make_directory_and_parents(named, 0700);
    struct stat there {};
    if (bad || ::stat(named.c_str(), &there) != 0 || !S_ISDIR(there.st_mode))
      return failure{ec::invalid,
                     "--run-dir " + named + " cannot be made: "
                         + (bad ? bad->message : "it is no directory")};
    bool is_ours = there.st_uid == ::geteuid() || ::geteuid() == 0;
    if (!is_ours || (there.st_mode & S_IWOTH))
      return failure{ec::invalid,
                     "--run-dir " + named
                         + " belongs to another user, or can be written by "
                           "anybody; choose one of your own"};
    return std::unique_ptr<run_directory>(new run_directory(named, true));
  }
  auto found = fs::temp_directory_path(wrong);
  auto base = wrong ? std::string{"/tmp"} : found.string();
  remove_abandoned_run_directories(base);
  auto name = base + "/" + name_prefix + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    return failure{ec::invalid, name
                                    + " cannot be made: " + std::strerror(errno)
                                    + "; name a directory with --run-dir"};
  std::unique_ptr<run_directory> made{new run_directory(name, false)};
  made->lock_until_process_ends();
  return made;
}

run_directory::run_directory(std::string path, bool kept)
    : path_(std::move(path))
    , kept_(kept) {
  // nop
}

run_directory::~run_directory() {
  if (!kept_)
    k8s::node::remove_large_directory_tree(path_);
  if (lock_ >= 0)
    ::close(lock_);
}

void run_directory::lock_until_process_ends() {
  // Others see it when it is locked, not before.
  auto fresh = path_ + lock_name + ".new";
  lock_ = ::open(fresh.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) == 0)
    ::rename(fresh.c_str(), (path_ + lock_name).c_str());
}

void run_directory::keep_on_exit() {
  kept_ = true;
  ::unlink((path_ + lock_name).c_str());
}

std::string run_directory::keep_if_work_files() {
  k8s::node::node_directory inside{path_};
  if (!k8s::node::has_overlay_files(inside))
    return "";
  keep_on_exit();
  return inside.overlays_directory();
}

std::string run_directory::keep_if_claim_files() {
  k8s::node::node_directory inside{path_};
  if (!k8s::node::has_claim_files(inside))
    return "";
  keep_on_exit();
  return inside.claims_directory();
}

void remove_abandoned_run_directories(const std::string& base) {
  std::error_code ignored;
  for (fs::directory_iterator i{base, ignored}, end; i != end;
       i.increment(ignored))
    if (i->path().filename().string().rfind(name_prefix, 0) == 0
        && is_abandoned_run_directory(i->path().string())) {
      auto path = i->path().string();
      k8s::node::node_directory inside{path};
      if (k8s::node::has_overlay_files(inside)
          || k8s::node::has_claim_files(inside))
        remove_all_but_pod_files(path);
      else
        k8s::node::remove_directory_tree(path);
    }
}

} // namespace troupe::cli
