#pragma once

#include <string>

namespace troupe::cli {

/// "0.1.0 (COMMIT)", or "0.1.0" where it was built without git.
std::string version_text();

} // namespace troupe::cli
