#include "k8s/files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace troupe::k8s {

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

} // namespace troupe::k8s
