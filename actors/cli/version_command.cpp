#include "actors/cli/commands.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>
#include <version.hpp>

namespace troupe::cli {

void add_version_command(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("version", "Print the version");
  command->callback([&code] {
    std::string commit = TROUPE_COMMIT;
    std::cout << "troupe " << TROUPE_VERSION
              << (commit.empty() ? "" : " (" + commit + ")") << "\n";
    code = 0;
  });
}

} // namespace troupe::cli
