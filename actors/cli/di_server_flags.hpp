#pragma once

#include "config/flags.hpp"

namespace troupe::cli {

/// Adds the flags that the original's di-server has under other names than our
/// settings. `to` must outlive the parsing.
void add_di_server_flags(CLI::App& command, config::parsed_flags& to);

/// What `troupe di-server` does otherwise than `troupe operator`, unless it was
/// said.
config::assignments with_di_server_defaults(config::assignments said);

} // namespace troupe::cli
