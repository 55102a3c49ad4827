#pragma once

#include "config/settings.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::config {

/// A heading in --help and in the documentation.
struct setting_group {
  const char* title;
  const char* note; ///< What its settings have in common; "": nothing.
};

/// One setting: the single place that knows its name, default, meaning and
/// bounds. The name is the flag (`--NAME`), the key in the file and the word in
/// messages.
struct setting_row {
  using field =
      std::variant<std::string settings::*, bool settings::*, int settings::*,
                   double settings::*, std::chrono::milliseconds settings::*,
                   std::vector<std::string> settings::*>;
  using value =
      std::variant<std::string, bool, int, double, std::chrono::milliseconds,
                   std::vector<std::string>>;

  const char* name;
  field where;
  value standard;     ///< The default, of the type of the field.
  const char* help;   ///< One sentence, with the unit.
  const char* reason; ///< Why the default is what it is, as one clause.
  const setting_group* group = nullptr; ///< Never null in setting_rows().
  const char* env = "";                 ///< The environment variable.
  double min = 0; ///< Bounds of numbers (of durations: in seconds).
  double max = 1e9;
  /// The values that it may have; empty: any.
  std::vector<std::string> choices = {};
  /// Whether a changed value takes effect without a restart. True of settings
  /// that only limit calls that are sent later, and of the log.
  bool reloadable = false;
};

/// Every setting, in the order of the documentation.
const std::vector<setting_row>& setting_rows();

/// By name, or nullptr.
const setting_row* find_setting_row(std::string_view name);

/// The values that the setting of this name may have; empty: any, or there is
/// no such setting. For the completion of shells.
std::vector<std::string> setting_choices(std::string_view name);

/// The name of the setting that was formerly called `name`, or nullptr. The
/// former name is still read: a value of 0 is ignored, and any other value
/// overrides that of the new name in the same layer.
const char* current_name_of_former(std::string_view name);
std::vector<std::string> former_setting_names();

/// The known name most similar to `name`, or "" if none is similar.
std::string nearest_setting_name(const std::string& name);

/// Sets the field of `r` from text; to a list the text is added. An error says
/// what the value must be.
k8s::result<k8s::nothing> set_setting_from_text(const setting_row& r,
                                                settings& s,
                                                const std::string& text);

/// The value as text that set_setting_from_text() reads back; lists are joined
/// by commas.
std::string format_setting(const setting_row& r, const settings& s);

/// The same, of its default.
std::string format_default(const setting_row& r);

/// A bound of the row, with the unit: "4.5s", "1000".
std::string format_bound(const setting_row& r, double bound);

} // namespace troupe::config
