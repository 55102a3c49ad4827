#pragma once

#include <string>

namespace CLI {
class App;
}

namespace troupe::cli {

/// The shells that completion_script() knows.
inline constexpr const char* completion_shells[] = {"bash", "zsh", "fish"};

/// A script for one of these shells, by which it completes the subcommands and
/// flags of `app`, and files elsewhere. "" for another shell.
std::string completion_script(const CLI::App& app, const std::string& shell);

} // namespace troupe::cli
