#include "actors/cli/commands.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace troupe::cli {

void add_version(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("version", "Print the version");
  command->callback([&code] {
    std::cout << "troupe " << TROUPE_VERSION << "\n";
    code = 0;
  });
}

} // namespace troupe::cli
