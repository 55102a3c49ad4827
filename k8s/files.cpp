#include "k8s/files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace troupe::k8s {

result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream in{path, std::ios::binary};
  std::string text;
  if (in)
    text.assign(std::istreambuf_iterator<char>{in}, {});
  // A directory can be opened; reading it fails.
  if (!in || in.bad() || errno == EISDIR)
    return failure{ec::invalid, path + ": cannot be read: "
                                    + std::strerror(errno ? errno : EIO)};
  return text;
}

} // namespace troupe::k8s
