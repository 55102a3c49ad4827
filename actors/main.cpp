#include "actors/cli/commands.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

int main(int argc, char** argv) {
  const std::vector<std::string> called{argv, argv + argc};
  CLI::App app{"Troupe runs distributed training jobs, on a cluster and on a "
               "laptop",
               troupe::cli::program_name(called)};
  app.require_subcommand(1);
  int code = 0;
  troupe::cli::add_run_command(app, code);
  troupe::cli::add_up_command(app, code);
  troupe::cli::add_operator_command(app, code);
  troupe::cli::add_explain_command(app, code);
  troupe::cli::add_top_command(app, code);
  troupe::cli::add_version_command(app, code);
  auto args = troupe::cli::translate_operator_arguments(
      app, troupe::cli::program_arguments(called));
  if (!args) {
    std::cerr << args.error().message << "\n";
    return 2;
  }
  std::reverse(args->begin(), args->end()); // As CLI11 wants them.
  try {
    app.parse(*args);
  } catch (const CLI::ParseError& e) {
    // Help is no mistake; anything else is a usage error.
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::cerr << "troupe: " << e.what() << "\n";
    return 1;
  }
  return code;
}
