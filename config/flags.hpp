#pragma once

#include "config/settings.hpp"

#include <string>

namespace CLI {
class App;
}

namespace troupe::config {

/// What the flags of one command line said. Must outlive the parsing; the
/// parsed flags write into it.
struct flag_values {
  std::string file; ///< --config
  assignments said;
};

/// Adds `--config` and one flag per setting to `app`, and upstream's zap
/// flags. Go's spelling of switches (`--leader-elect=true`) is understood.
/// Values are only collected here; applied() reads them.
void add_flags(CLI::App& app, flag_values& to);

} // namespace troupe::config
