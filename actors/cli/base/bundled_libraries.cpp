#include "actors/cli/base/bundled_libraries.hpp"

#include <nss.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

namespace troupe::cli {

void adapt_to_bundled_libraries() {
  // The kernel loads a program's loader, and says where: not if the loader is
  // what was started.
  if (::getauxval(AT_BASE) != 0)
    return;
  ::prctl(PR_SET_NAME, "troupe");
  ::__nss_configure_lookup("hosts", "files dns");
  ::__nss_configure_lookup("services", "files");
}

} // namespace troupe::cli
