#include "k8s/node/files.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::k8s::node {

namespace {

failure errno_failure(const char* what, const std::string& path) {
  auto why = std::strerror(errno);
  return {ec::invalid, std::string{"cannot "} + what + " " + path + ": " + why};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

} // namespace

std::optional<failure> make_directory(const std::string& path, mode_t mode) {
  for (std::size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    auto part = path.substr(0, at);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST)
      return errno_failure("make the directory", part);
  }
  return std::nullopt;
}

std::optional<failure> write_file_atomically(const std::string& path,
                                             std::string_view text,
                                             mode_t mode) {
  auto fresh = path + ".new";
  ::unlink(fresh.c_str()); // Left by an interrupted process.
  int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0)
    return errno_failure("write", fresh);
  bool whole = write_all(fd, text);
  if (::close(fd) != 0 || !whole)
    return errno_failure("write", fresh);
  if (::rename(fresh.c_str(), path.c_str()) != 0)
    return errno_failure("replace", path);
  return std::nullopt;
}

void remove_directory_tree(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (fs::recursive_directory_iterator
           i{path, fs::directory_options::skip_permission_denied, ignored},
       end;
       i != end; i.increment(ignored)) {
    auto status = i->symlink_status(ignored);
    if (fs::is_directory(status)
        && (status.permissions() & fs::perms::owner_all)
               != fs::perms::owner_all)
      fs::permissions(i->path(), fs::perms::owner_all, fs::perm_options::add,
                      ignored);
  }
  fs::remove_all(path, ignored);
}

void remove_large_directory_tree(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int threads = 8;
  std::error_code wrong;
  boost::asio::thread_pool removals{threads};
  for (fs::recursive_directory_iterator i{path, wrong}, end; !wrong && i != end;
       i.increment(wrong)) {
    if (i.depth() == 0)
      continue;
    i.disable_recursion_pending();
    boost::asio::post(removals, [entry = i->path().string()] {
      remove_directory_tree(entry);
    });
  }
  removals.join();
  remove_directory_tree(path);
}

} // namespace troupe::k8s::node
