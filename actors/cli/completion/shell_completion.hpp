#pragma once

#include <string>

namespace CLI {
class App;
}

namespace troupe::cli {

/// The shells that completion_script() knows.
inline constexpr const char* completion_shells[] = {"bash", "zsh", "fish"};

/// The first argument of the program when such a script calls it. The program
/// then prints which values the last of the following arguments may have
/// (print_offered_values).
inline constexpr const char* offered_values_word = "__complete";

/// A script with which one of these shells completes the subcommands and flags
/// of `app` and their values. "" for any other shell.
std::string completion_script(const CLI::App& app, const std::string& shell);

} // namespace troupe::cli
