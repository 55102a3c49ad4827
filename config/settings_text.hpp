#pragma once

#include "config/settings.hpp"
#include "k8s/json.hpp"

#include <string>

namespace troupe::config {

/// All settings as YAML that `--config` can read. A comment on each says where
/// its value comes from, and why the default is what it is.
std::string to_yaml(const settings& s);

/// The same as a JSON list of objects: name, value, default, reason, origin
/// (absent for a default), and whether a change takes effect without a restart.
k8s::json to_json(const settings& s);

/// The settings whose values differ, in the order of the documentation.
struct changed_settings {
  std::vector<std::string> reloadable; ///< Take effect in a running process.
  std::vector<std::string> at_restart; ///< Take effect at the next start.
};
changed_settings find_changed_settings(const settings& before,
                                       const settings& after);

/// `before`, with the reloadable settings of `after`.
settings apply_reloadable_settings(settings before, const settings& after);

} // namespace troupe::config
