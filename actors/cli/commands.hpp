#pragma once

namespace CLI {
class App;
}

namespace troupe::cli {

/// Adds one subcommand each. `code` becomes the exit code of the program:
/// 0 fine, 1 it did not work out, 2 it was asked for wrongly.
void add_operator(CLI::App& app, int& code);
void add_up(CLI::App& app, int& code);
void add_run(CLI::App& app, int& code);
void add_explain(CLI::App& app, int& code);
void add_top(CLI::App& app, int& code);
void add_version(CLI::App& app, int& code);

} // namespace troupe::cli
