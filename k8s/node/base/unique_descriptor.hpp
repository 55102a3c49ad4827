#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace troupe::k8s::node {

/// A file descriptor that is closed with the object.
class unique_descriptor {
public:
  unique_descriptor() = default;
  explicit unique_descriptor(int fd)
      : fd_(fd) {}
  unique_descriptor(unique_descriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  unique_descriptor& operator=(unique_descriptor&& other) noexcept {
    reset();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  ~unique_descriptor() { reset(); }

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }

private:
  int fd_ = -1;
};

/// A copy whose number is above all numbers that children are given, so that no
/// descriptor is overwritten before it is in its place.
inline unique_descriptor duplicate_for_child(int fd) {
  constexpr int above = 64;
  return unique_descriptor{::fcntl(fd, F_DUPFD_CLOEXEC, above)};
}

} // namespace troupe::k8s::node
