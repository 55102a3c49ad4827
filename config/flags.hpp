#pragma once

#include "config/settings.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace troupe::config {

/// The flags of one command line. The parser writes into it, so it must outlive
/// the parsing.
struct parsed_flags {
  std::string file; ///< --config
  assignments assigned;
};

/// Adds `--config`, one flag for each setting, and upstream's zap flags to
/// `app`. Go's spelling of switches (`--leader-elect=true`) is understood.
/// Values are only collected here; apply_assignments() reads them.
void add_all_setting_flags(CLI::App& app, parsed_flags& to);

/// The failure in the words of Go's flag packages; `why` is, for example, "must
/// be an integer".
k8s::failure invalid_argument_failure(const std::string& flag,
                                      const std::string& value,
                                      const std::string& why);

/// The arguments of `command` as Go's flag package reads them, in the spelling
/// that CLI11 wants: one dash or two, `-name=value` or `-name value`, a switch
/// alone or with `=`. An error names the argument that is wrong and the fix.
k8s::result<std::vector<std::string>>
translate_go_flags(const CLI::App& command,
                   const std::vector<std::string>& args);

} // namespace troupe::config
