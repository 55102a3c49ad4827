#pragma once

#include "k8s/result.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace troupe::cli {

/// Adds one subcommand each. `code` becomes the exit code of the program:
/// 0 fine, 1 it did not work out, 2 usage error.
void add_operator_command(CLI::App& app, int& code);
void add_up_command(CLI::App& app, int& code);
void add_run_command(CLI::App& app, int& code);
void add_explain_command(CLI::App& app, int& code);
void add_top_command(CLI::App& app, int& code);
void add_version_command(CLI::App& app, int& code);

/// What the commands parse, made of what the user said: `operator` takes its
/// flags as upstream's binary does, the other commands as they are.
k8s::result<std::vector<std::string>> arguments(const CLI::App& app,
                                                std::vector<std::string> said);

} // namespace troupe::cli
