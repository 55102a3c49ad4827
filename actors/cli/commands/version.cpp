#include "actors/cli/commands/version.hpp"

#include <version.hpp>

namespace troupe::cli {

std::string version_text() {
  const std::string commit = TROUPE_COMMIT;
  return TROUPE_VERSION + (commit.empty() ? "" : " (" + commit + ")");
}

} // namespace troupe::cli
