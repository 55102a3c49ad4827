#include "actors/cli/local/open_files.hpp"

#include <algorithm>
#include <sys/resource.h>

namespace troupe::cli {

namespace {

/// More than one process needs; some programs walk over all that are allowed.
constexpr rlim_t most = 1u << 20;

} // namespace

std::size_t raise_open_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return most;
  auto wanted = std::min(limit.rlim_max, most);
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = wanted;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  return static_cast<std::size_t>(limit.rlim_cur);
}

} // namespace troupe::cli
