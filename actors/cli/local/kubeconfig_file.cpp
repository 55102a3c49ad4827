#include "actors/cli/local/kubeconfig_file.hpp"

#include "k8s/general/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace troupe::cli {

k8s::result<std::unique_ptr<kubeconfig_file>>
kubeconfig_file::create(const std::string& path, const std::string& text) {
  // A link may lead to somebody else's file, a device to somebody's screen.
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    return k8s::failure{k8s::ec::invalid,
                        path + " is no plain file; name another"};
  if (auto bad = k8s::write_file_atomically(path, text, 0600))
    return *bad;
  return std::unique_ptr<kubeconfig_file>{new kubeconfig_file{path}};
}

kubeconfig_file::~kubeconfig_file() {
  ::unlink(path_.c_str());
}

} // namespace troupe::cli
