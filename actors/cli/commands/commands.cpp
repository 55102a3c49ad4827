#include "actors/cli/commands/commands.hpp"

#include "actors/admin/text/terminal_text.hpp"
#include "actors/cli/base/error_line.hpp"
#include "actors/cli/commands/version.hpp"
#include "actors/cli/completion/completion_lookup.hpp"
#include "actors/cli/completion/shell_completion.hpp"
#include "config/flags.hpp"
#include "k8s/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <optional>
#include <sstream>

namespace troupe::cli {

int report_error(const char* command, int exit_code,
                 const std::string& message) {
  print_error_line("troupe " + std::string{command} + ": " + message);
  return exit_code;
}

namespace {

/// The last part of the path by which the program was called.
std::string program_base_name(const std::vector<std::string>& argv) {
  return argv.empty() ? "" : argv.front().substr(argv.front().rfind('/') + 1);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> result;
  for (const auto* c :
       app.get_subcommands([](const CLI::App*) { return true; }))
    result.push_back(c->get_name());
  return result;
}

/// The arguments of the program in the spelling that CLI11 reads: `operator`
/// and `di-server` take their flags as training-operator v1 and
/// DI-orchestrator's server do.
k8s::result<std::vector<std::string>>
translate_operator_arguments(const CLI::App& app,
                             std::vector<std::string> arguments) {
  if (arguments.empty()
      || (arguments.front() != "operator" && arguments.front() != "di-server"))
    return arguments;
  const auto command = arguments.front();
  auto flags = config::translate_go_flags(
      *app.get_subcommand(command), {arguments.begin() + 1, arguments.end()});
  if (!flags)
    return k8s::failure{flags.error().code,
                        "troupe " + command + ": " + flags.error().message};
  flags->insert(flags->begin(), command);
  return flags;
}

} // namespace

std::string displayed_program_name(const std::vector<std::string>& argv) {
  return program_base_name(argv) == "kubectl-troupe" ? "kubectl troupe"
                                                     : "troupe";
}

std::string unknown_command_message(const std::vector<std::string>& known,
                                    const std::string& word) {
  if (word.rfind('-', 0) == 0
      || std::find(known.begin(), known.end(), word) != known.end())
    return {};
  auto nearest = k8s::nearest_word(word, known);
  return "unknown command " + word
         + (nearest.empty() ? "; choose one of " + k8s::join(known, ", ")
                            : "; did you mean " + nearest + "?");
}

std::vector<std::string>
add_operator_command_if_called_manager(const std::vector<std::string>& argv) {
  if (argv.empty())
    return {};
  std::vector<std::string> result{argv.begin() + 1, argv.end()};
  auto flags_only = result.empty() || result.front().rfind('-', 0) == 0;
  if (program_base_name(argv) == "manager" && flags_only)
    result.insert(result.begin(), "operator");
  return result;
}

namespace {

/// Sets `action`, or returns the exit code if there is nothing (more) to do.
std::optional<int> parse_command(const std::vector<std::string>& argv,
                                 command_action& action) {
  CLI::App app{"Troupe runs distributed training jobs, on a cluster and on a "
               "laptop",
               displayed_program_name(argv)};
  app.set_version_flag("--version", "troupe " + version_text());
  app.require_subcommand(1);
  add_run_command(app, action);
  add_up_command(app, action);
  add_operator_command(app, action);
  add_di_server_command(app, action);
  add_explain_command(app, action);
  add_top_command(app, action);
  add_version_command(app, action);
  add_completion_command(app, action);
  auto given = add_operator_command_if_called_manager(argv);
  if (given.empty()) {
    std::cout << app.help();
    return 0;
  }
  if (given.front() == offered_values_word) {
    action = [question =
                  read_value_question(app, {given.begin() + 1, given.end()})] {
      return print_offered_values(question);
    };
    return std::nullopt;
  }
  if (auto error = unknown_command_message(command_names(app), given.front());
      !error.empty()) {
    print_error_line("troupe: " + error);
    return 2;
  }
  auto args = translate_operator_arguments(app, std::move(given));
  if (!args) {
    print_error_line(args.error().message);
    return 2;
  }
  std::reverse(args->begin(), args->end()); // As CLI11 wants them.
  try {
    app.parse(*args);
  } catch (const CLI::ParseError& e) {
    // Help is no mistake; anything else is a usage error.
    std::ostringstream said;
    auto code = app.exit(e, std::cout, said);
    std::cerr << actors::escape_control_characters_of_lines(said.str());
    return code == 0 ? 0 : 2;
  }
  return std::nullopt;
}

} // namespace

int run_program(const std::vector<std::string>& argv) {
  try {
    command_action action;
    if (auto code = parse_command(argv, action))
      return *code;
    return action();
  } catch (const std::exception& e) {
    print_error_line("troupe: " + std::string{e.what()});
    return 1;
  }
}

} // namespace troupe::cli
