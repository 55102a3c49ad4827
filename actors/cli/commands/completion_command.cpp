#include "actors/cli/commands/commands.hpp"
#include "actors/cli/completion/shell_completion.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <iterator>

namespace troupe::cli {

void add_completion_command(CLI::App& app, command_action& action) {
  auto* command = app.add_subcommand(
      "completion", "Print a script by which a shell completes troupe");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember(std::vector<std::string>{
          std::begin(completion_shells), std::end(completion_shells)}));
  command->footer("For bash: . <(troupe completion bash)");
  command->callback([&app, &action, shell] {
    action = [script = completion_script(app, *shell)] {
      std::cout << script;
      return 0;
    };
  });
}

} // namespace troupe::cli
