#include "k8s/general/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace troupe::k8s {

namespace {

failure errno_failure(const char* what, const std::string& path) {
  auto why = std::strerror(errno);
  return {ec::invalid, std::string{"cannot "} + what + " " + path + ": " + why};
}

failure unreadable_failure(const std::string& name, int why) {
  return {ec::invalid, name + ": cannot be read: " + std::strerror(why)};
}

/// "64 MiB" if it is such a number.
std::string size_text(std::size_t bytes) {
  constexpr std::size_t mebibyte = 1 << 20;
  return bytes % mebibyte == 0 ? std::to_string(bytes / mebibyte) + " MiB"
                               : std::to_string(bytes) + " bytes";
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

result<std::string> read_open_file(int fd, const std::string& name,
                                   std::size_t most) {
  constexpr std::size_t block = 1 << 16;
  std::string text;
  for (;;) {
    auto before = text.size();
    text.resize(before + std::min(block, most - before + 1));
    auto n = ::read(fd, &text[before], text.size() - before);
    auto why = errno;
    text.resize(before + (n > 0 ? static_cast<std::size_t>(n) : 0));
    if (n < 0 && why != EINTR)
      return unreadable_failure(name, why);
    if (n == 0)
      return text;
    if (text.size() > most)
      return failure{ec::too_large,
                     name + ": is longer than " + size_text(most)};
  }
}

result<std::string> read_file(const std::string& path, std::size_t most) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return unreadable_failure(path, errno);
  auto text = read_open_file(fd, path, most);
  ::close(fd);
  return text;
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
