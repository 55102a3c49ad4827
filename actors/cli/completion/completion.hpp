#pragma once

#include <string>

namespace CLI {
class App;
}

namespace troupe::cli {

/// The shells that completion_script() knows.
inline constexpr const char* completion_shells[] = {"bash", "zsh", "fish"};

/// The first argument by which these scripts ask the program what may stand in
/// the place of the last one that follows (print_offered_values).
inline constexpr const char* offered_values_word = "__complete";

/// A script for one of these shells, by which it completes the subcommands and
/// flags of `app` and their values. "" for another shell.
std::string completion_script(const CLI::App& app, const std::string& shell);

} // namespace troupe::cli
