#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace troupe::cli {

/// The source of the values that a shell may offer.
enum class value_source {
  nothing, ///< It can be anything.
  files,
  directories,
  choices,
  contexts,   ///< Of the kubeconfig.
  namespaces, ///< Of the cluster.
  jobs,       ///< That the operator knows.
};

struct offered_values {
  value_source source = value_source::nothing;
  std::vector<std::string> choices = {};
};

/// The source of the values of an option, or of an argument of this command.
offered_values values_of_option(const CLI::App& command,
                                const CLI::Option& option);

/// What the user has typed, and which values may complete it.
struct value_question {
  offered_values values;
  std::string begun;  ///< What the value begins with.
  std::string before; ///< "--output=": in the same word.
  std::string ns;     ///< Of --namespace.
  // Which cluster to ask, as the flags of this name say.
  std::string kubeconfig;
  std::string context;
  std::string admin;
  std::string admin_token_file;
  std::string admin_ca_file;
  std::string operator_namespace;
};

/// Reads the words after the program's name. The last one is not finished, and
/// may be "". A shell may pass "=" as a separate word.
value_question read_value_question(const CLI::App& app,
                                   const std::vector<std::string>& words);

/// Names of jobs, as `explain` takes them: NAME in the namespace that was
/// `chosen`, else in the usual one, and NAMESPACE/NAME in others; also
/// KIND/NAME and the usual NAMESPACE/NAME once something has begun. `list` is
/// the operator's list of jobs.
std::vector<std::string> job_candidates(const nlohmann::json& list,
                                        const std::string& chosen,
                                        const std::string& usual,
                                        const std::string& begun);

/// The values that begin with `begun`, each once: at most a thousand, and none
/// with a character that a shell interprets.
std::vector<std::string>
select_shell_safe_candidates(const std::vector<std::string>& words,
                             const std::string& begun);

} // namespace troupe::cli
