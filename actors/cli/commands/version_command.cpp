#include "actors/cli/commands/commands.hpp"
#include "actors/cli/commands/version.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace troupe::cli {

void add_version_command(CLI::App& app, command_action& action) {
  auto* command = app.add_subcommand("version", "Print the version");
  command->callback([&action] {
    action = [] {
      std::cout << "troupe " << version_text() << "\n";
      return 0;
    };
  });
}

} // namespace troupe::cli
