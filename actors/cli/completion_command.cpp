#include "actors/cli/commands.hpp"
#include "actors/cli/completion.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <iterator>

namespace troupe::cli {

void add_completion_command(CLI::App& app, int& code) {
  auto* command = app.add_subcommand(
      "completion", "Print a script by which a shell completes troupe");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember(std::vector<std::string>{
          std::begin(completion_shells), std::end(completion_shells)}));
  command->footer("For bash: . <(troupe completion bash)");
  command->callback([&app, &code, shell] {
    std::cout << completion_script(app, *shell);
    code = 0;
  });
}

} // namespace troupe::cli
