#pragma once

#include "actors/cli/local/node_choice.hpp"

namespace CLI {
class App;
}

namespace troupe::cli {

/// Adds --node, --isolation, --volume, --simulated-run-time and
/// --simulated-failure.
void add_node_flags(CLI::App& command, node_choice& out);

} // namespace troupe::cli
