#include "k8s/node/base/files.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>

namespace troupe::k8s::node {

namespace {

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

} // namespace

std::optional<failure> make_directory_and_parents(const std::string& path,
                                                  mode_t mode) {
  for (std::size_t at = 0; at != std::string::npos;) {
    at = path.find('/', at + 1);
    auto part = path.substr(0, at);
    if (::mkdir(part.c_str(), mode) == 0)
      continue;
    auto why = errno;
    if (why == EEXIST && !is_directory(part))
      why = ENOTDIR;
    if (why != EEXIST)
      return failure{ec::invalid, "cannot make the directory " + part + ": "
                                      + std::strerror(why)};
  }
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
