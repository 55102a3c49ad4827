#include "k8s/files.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace troupe::k8s {

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

result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream in{path, std::ios::binary};
  std::ostringstream text;
  // A directory can be opened, but not read; to write nothing is a failure.
  if (!in || (in.peek() != EOF && !(text << in.rdbuf())) || errno != 0)
    return failure{ec::invalid, path + ": cannot be read: "
                                    + std::strerror(errno ? errno : EIO)};
  return text.str();
}

std::optional<failure> write_file_atomically(const std::string& path,
                                             std::string_view text, mode_t mode,
                                             durability kept) {
  auto fresh = path + ".new";
  ::unlink(fresh.c_str()); // Left by an interrupted process.
  int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0)
    return errno_failure("write", fresh);
  bool whole =
      write_all(fd, text) && (kept == durability::none || ::fsync(fd) == 0);
  if (::close(fd) != 0 || !whole)
    return errno_failure("write", fresh);
  if (::rename(fresh.c_str(), path.c_str()) != 0)
    return errno_failure("replace", path);
  return std::nullopt;
}

} // namespace troupe::k8s
