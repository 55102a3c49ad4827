#pragma once

#include "config/settings.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::config {

/// One setting: the single place that knows its name, meaning and bounds. The
/// name is the flag (`--NAME`), the key in the file and the word in messages.
struct setting_row {
  using field =
      std::variant<std::string settings::*, bool settings::*, int settings::*,
                   double settings::*, std::chrono::milliseconds settings::*,
                   std::vector<std::string> settings::*>;

  const char* name;
  field where;
  const char* group; ///< Heading in --help.
  const char* help;  ///< One sentence, with the unit.
  const char* env = "";
  double min = 0; ///< Bounds of numbers (of durations: in seconds).
  double max = 1e9;
};

/// Every setting, in the order of the documentation.
const std::vector<setting_row>& setting_rows();

/// By name, or nullptr.
const setting_row* find_setting_row(const std::string& name);

/// Whether a changed value takes effect without a restart: what only sizes
/// calls that are sent later, and the log.
bool is_reloadable(const std::string& name);

/// The known name most like `name`, or "" if none comes close.
std::string nearest_setting_name(const std::string& name);

/// Sets the field of `r` from text. An error says what it must be.
k8s::result<k8s::nothing> set_setting_from_text(const setting_row& r,
                                                settings& s,
                                                const std::string& text);

/// The value as text that set_setting_from_text() reads back; lists are joined
/// by commas.
std::string format_setting(const setting_row& r, const settings& s);

} // namespace troupe::config
