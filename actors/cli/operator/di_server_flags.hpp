#pragma once

#include "config/flags.hpp"

namespace troupe::cli {

/// Adds the flags that DI-orchestrator v1.1.3 has under other names than our
/// settings, for its operator and its server. `to` must outlive the parsing.
void add_di_orchestrator_flags(CLI::App& command, config::parsed_flags& to);

/// The same for the flags of the server of v0.2.2.
void add_di_server_flags(CLI::App& command, config::parsed_flags& to);

/// `flags`, preceded by the defaults of `troupe di-server` that differ from
/// those of `troupe operator`.
config::assignments add_di_server_defaults(config::assignments flags);

} // namespace troupe::cli
