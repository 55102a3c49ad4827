#include "actors/cli/commands.hpp"
#include "actors/cli/version.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace troupe::cli {

void add_version_command(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("version", "Print the version");
  command->callback([&code] {
    std::cout << "troupe " << version_text() << "\n";
    code = 0;
  });
}

} // namespace troupe::cli
