#include "actors/cli/run_directory.hpp"

#include "k8s/node/files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdlib.h>
#include <sys/stat.h>

namespace troupe::cli {

namespace fs = std::filesystem;
using k8s::ec;
using k8s::failure;

k8s::result<std::unique_ptr<run_directory>>
run_directory::open(const std::string& named) {
  std::error_code wrong;
  if (!named.empty()) {
    auto bad = k8s::node::make_directory(named, 0700);
    struct stat there {};
    if (bad || ::stat(named.c_str(), &there) != 0 || !S_ISDIR(there.st_mode))
      return failure{ec::invalid,
                     "--run-dir " + named + " cannot be made: "
                         + (bad ? bad->message : "it is no directory")};
    if (there.st_mode & S_IWOTH)
      return failure{ec::invalid,
                     "--run-dir " + named
                         + " can be written by anybody; choose one "
                           "of your own"};
    return std::unique_ptr<run_directory>(new run_directory(named, true));
  }
  auto base = fs::temp_directory_path(wrong);
  auto name = (wrong ? std::string{"/tmp"} : base.string()) + "/troupe-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    return failure{ec::invalid, name
                                    + " cannot be made: " + std::strerror(errno)
                                    + "; name a directory with --run-dir"};
  return std::unique_ptr<run_directory>(new run_directory(name, false));
}

run_directory::run_directory(std::string path, bool kept)
    : path_(std::move(path))
    , kept_(kept) {
  // nop
}

run_directory::~run_directory() {
  std::error_code ignored;
  if (!kept_)
    fs::remove_all(path_, ignored);
}

} // namespace troupe::cli
