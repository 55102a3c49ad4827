#pragma once

#include "k8s/node/simulation.hpp"
#include "k8s/result.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace troupe::cli {

/// What the flags of `run` and `up` say about the node.
struct node_flags {
  std::string kind = "host";
  std::string run_time;
  std::vector<std::string> failures;
};

/// Adds --node, --simulated-run-time and --simulated-failure.
void add_node_flags(CLI::App& command, node_flags& out);

/// What is simulated, nullopt for the host's own node. Errors name the flag.
k8s::result<std::optional<k8s::node::simulation>>
simulation_of(const node_flags& flags);

/// Reads "POD=CODE", then perhaps "@DURATION" and ",once"; POD may contain *
/// and
/// ?.
k8s::result<k8s::node::simulated_failure>
parse_simulated_failure(const std::string& text);

} // namespace troupe::cli
