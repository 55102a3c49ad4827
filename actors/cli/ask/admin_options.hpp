#pragma once

#include "k8s/result.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace troupe::cli {

/// Which operator a command asks, and how it shows the answer.
struct admin_options {
  std::string url;                ///< "": the usual one, else the cluster's.
  std::string token_file;         ///< "": no token.
  std::string ca_file;            ///< "": the system's authorities.
  std::string kubeconfig;         ///< "": where every client looks.
  std::string context;            ///< "": current-context.
  std::string operator_namespace; ///< "": all, as far as they may be listed.
  std::string output = "text";    ///< Or "json".
};

/// Adds the flags that set them.
std::shared_ptr<admin_options> add_admin_options(CLI::App& command);

/// Writes to standard error why `where` does not answer; returns the exit code.
int report_admin_failure(const std::string& where, const k8s::failure& why);

/// Writes an answer to standard output: as JSON if that was chosen, otherwise
/// the `lines`. Returns the exit code.
int print_json_or_lines(const admin_options& o, const nlohmann::json& answer,
                        const std::vector<std::string>& lines);

} // namespace troupe::cli
