#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace troupe::cli {

/// Runs the program with its arguments, the first of which is its name. Returns
/// the exit code: 0 success, 1 failure, 2 usage error.
int run_program(const std::vector<std::string>& argv);

/// What a command does; returns the exit code of the program.
using command_action = std::function<int()>;

/// Each function adds one subcommand, which sets `action` when the user gives
/// it. The action runs after the parser of the command line is destroyed,
/// because the parser takes a megabyte.
void add_operator_command(CLI::App& app, command_action& action);
void add_di_server_command(CLI::App& app, command_action& action);
void add_up_command(CLI::App& app, command_action& action);
void add_run_command(CLI::App& app, command_action& action);
void add_explain_command(CLI::App& app, command_action& action);
void add_top_command(CLI::App& app, command_action& action);
void add_version_command(CLI::App& app, command_action& action);
void add_completion_command(CLI::App& app, command_action& action);

/// Writes to standard error why a command failed; returns `exit_code`.
int report_error(const char* command, int exit_code,
                 const std::string& message);

/// The program's name in its help: "kubectl troupe" if it was started as
/// kubectl's plugin, by the name kubectl-troupe.
std::string displayed_program_name(const std::vector<std::string>& argv);

/// The message that the program's first argument is not a command, with the
/// command whose name is most like it. "" if it is a command or a flag.
std::string unknown_command_message(const std::vector<std::string>& known,
                                    const std::string& word);

/// The arguments after the program's name. A program that is called `manager`,
/// as the training operator's binary is, and gets only flags, is `troupe
/// operator`.
std::vector<std::string>
add_operator_command_if_called_manager(const std::vector<std::string>& argv);

} // namespace troupe::cli
