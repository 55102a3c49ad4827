#include "k8s/node/volumes/termination_file.hpp"

#include "k8s/node/base/files.hpp"
#include "k8s/node/base/unique_descriptor.hpp"

#include <climits>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>

namespace troupe::k8s::node {

namespace fs = std::filesystem;

namespace {

/// The preload library's map of paths takes a colon for the end of one, the
/// reaper a zero byte.
bool can_be_mounted(const std::string& path, isolation_kind isolation) {
  return path.find('\0') == std::string::npos && path.size() < PATH_MAX
         && (isolation == isolation_kind::namespaces
             || path.find(':') == std::string::npos);
}

} // namespace

std::string termination_file_target(const json& container,
                                    const pod_sandbox& sandbox) {
  const auto& path = text_at(container, {"terminationMessagePath"});
  if (path.empty() || sandbox.isolation == isolation_kind::none
      || !can_be_mounted(path, sandbox.isolation))
    return "";
  // A relative one begins at the root, as with kubelets.
  auto target = ("/" / fs::path{path}).lexically_normal().string();
  while (target.size() > 1 && target.back() == '/')
    target.pop_back();
  return target == "/" ? "" : target;
}

std::string termination_file(const std::string& container,
                             const pod_sandbox& sandbox) {
  return sandbox.termination_directory + "/" + container;
}

std::optional<failure> make_termination_file(const std::string& path) {
  if (auto bad = make_directory_and_parents(fs::path{path}.parent_path()))
    return bad;
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode))
      remove_directory_tree(path);
    else
      ::unlink(path.c_str());
  }
  unique_descriptor made{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (made.get() >= 0)
    return std::nullopt;
  return failure{ec::invalid, "cannot make the file for termination messages "
                                  + path + ": " + std::strerror(errno)};
}

result<std::string> read_termination_file(const std::string& path,
                                          std::size_t most_bytes) {
  // Neither a pipe nor a terminal makes the node wait, or becomes its own.
  unique_descriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK
                                                  | O_NOCTTY | O_CLOEXEC)};
  if (file.get() < 0 && errno == ENOENT)
    return std::string{};
  struct stat s {};
  if (file.get() < 0 || ::fstat(file.get(), &s) != 0)
    return failure{ec::invalid, errno == ELOOP ? "it is a symbolic link"
                                               : std::strerror(errno)};
  if (!S_ISREG(s.st_mode))
    return failure{ec::invalid, "it is no regular file"};
  auto size = static_cast<std::size_t>(s.st_size);
  std::string text(std::min(size, most_bytes), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    auto n = ::pread(file.get(), text.data() + done, text.size() - done,
                     static_cast<off_t>(size - text.size() + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return failure{ec::invalid, std::strerror(errno)};
    if (n == 0)
      break;
    done += static_cast<std::size_t>(n);
  }
  text.resize(done);
  return text;
}

} // namespace troupe::k8s::node
