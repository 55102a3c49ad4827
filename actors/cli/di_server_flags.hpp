#pragma once

#include "config/flags.hpp"

namespace troupe::cli {

/// Adds the flags that DI-orchestrator's server has under other names than our
/// settings. `to` must outlive the parsing.
void add_di_server_flags(CLI::App& command, config::parsed_flags& to);

/// `flags`, after the defaults of `troupe di-server` where they are not those
/// of `troupe operator`.
config::assignments add_di_server_defaults(config::assignments flags);

} // namespace troupe::cli
