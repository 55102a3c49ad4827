#include "actors/cli/progress/timeline_file.hpp"

#include "actors/cli/progress/timeline_page.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace troupe::cli {

namespace {

k8s::result<k8s::nothing> write_file_of_timeline_flag(const std::string& path,
                                                      const std::string& text) {
  std::ofstream file{path, std::ios::binary | std::ios::trunc};
  file << text;
  file.close();
  if (!file)
    return k8s::failure{k8s::ec::invalid,
                        "--timeline " + path + ": " + std::strerror(errno)};
  return k8s::nothing{};
}

} // namespace

k8s::result<k8s::nothing> create_empty_timeline_file(const std::string& path) {
  return write_file_of_timeline_flag(path, "");
}

k8s::result<k8s::nothing>
write_timeline_file(const std::string& path,
                    const std::vector<const timeline*>& jobs,
                    k8s::time_point now) {
  return write_file_of_timeline_flag(path, make_timeline_page(jobs, now));
}

} // namespace troupe::cli
