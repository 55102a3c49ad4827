#pragma once

#include "k8s/node/base/isolation.hpp"
#include "k8s/node/simulation.hpp"
#include "k8s/result.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe::cli {

/// What the flags of `run` and `up` say about the node.
struct node_choice {
  std::string kind = "host"; ///< Or "simulated".
  std::string run_time;
  std::vector<std::string> failures;
  std::vector<std::string> volumes; ///< NAME=DIR, each.
  std::string isolation; ///< Of the node of this machine; "" is auto, too.
  std::string work_directory;
};

/// The simulation that the flags describe; nullopt: no simulation, but a node
/// of this machine. An error names the flags that exclude each other.
k8s::result<std::optional<k8s::node::simulation>>
parse_simulation(const node_choice& choice);

/// The directories of claims, by the names of the claims. Errors name the flag.
k8s::result<std::map<std::string, std::string>>
parse_volumes(const node_choice& choice);

/// Where pods work and write, as an absolute path; "" if no flag says so. An
/// error names the flag.
k8s::result<std::string> parse_work_directory(const node_choice& choice);

/// The value of --isolation: namespaces, preload or none; auto for any other.
k8s::node::isolation_kind
parse_isolation_kind_or_automatic(const std::string& flag);

/// What keeps pods apart, and what is missing for more, for the first lines of
/// output.
std::vector<std::string>
describe_isolation(const k8s::node::isolation_report& report);

/// Reads "POD=CODE", "POD=CODE@DURATION", either with ",once" at its end. POD
/// may contain * and ?.
k8s::result<k8s::node::simulated_failure>
parse_simulated_failure(const std::string& text);

} // namespace troupe::cli
