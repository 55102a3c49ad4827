#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace troupe::cli {

/// Runs the program with its arguments, its name first. Returns its exit code:
/// 0 fine, 1 it did not work out, 2 usage error.
int run_program(const std::vector<std::string>& argv);

/// What a command does; returns the exit code of the program.
using command_action = std::function<int()>;

/// Adds one subcommand each, which sets `action` when it is given. That is run
/// when the parser of the command line has ended, which takes a megabyte.
void add_operator_command(CLI::App& app, command_action& action);
void add_di_server_command(CLI::App& app, command_action& action);
void add_up_command(CLI::App& app, command_action& action);
void add_run_command(CLI::App& app, command_action& action);
void add_explain_command(CLI::App& app, command_action& action);
void add_top_command(CLI::App& app, command_action& action);
void add_version_command(CLI::App& app, command_action& action);
void add_completion_command(CLI::App& app, command_action& action);

/// Writes why a command failed to standard error; gives back `exit_code`.
int report_error(const char* command, int exit_code,
                 const std::string& message);

/// The program's name in its help: "kubectl troupe" if it was started as
/// kubectl's plugin, by the name kubectl-troupe.
std::string displayed_program_name(const std::vector<std::string>& argv);

/// That the program's first argument is none of the commands, with the one that
/// is written most like it; "" for a command or a flag.
std::string unknown_command_message(const std::vector<std::string>& known,
                                    const std::string& word);

/// What stands behind the program's name. Called `manager`, as the training
/// operator's binary is, with flags only, it is `troupe operator`.
std::vector<std::string>
arguments_with_default_command(const std::vector<std::string>& argv);

} // namespace troupe::cli
