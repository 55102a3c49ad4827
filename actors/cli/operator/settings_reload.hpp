#pragma once

#include "config/flags.hpp"
#include "config/settings.hpp"

#include <string>

namespace troupe::cli {

/// The settings of a running operator, which may change when the file changes
/// from which they came.
class settings_reload {
public:
  /// `flags` outlives this.
  settings_reload(const config::parsed_flags& flags, config::settings current);

  /// Whether the file's text differs from that at the last call. Kubernetes
  /// replaces the files of a ConfigMap about once a minute.
  bool has_file_changed_since_last_call();

  /// Reads the settings again. Logs which changes take effect now, and which at
  /// the next start. Returns whether any takes effect now. An error is logged
  /// and changes nothing.
  bool reload_and_check_changed();

  const config::settings& current_settings() const { return current_; }

private:
  const config::parsed_flags& flags_;
  config::settings current_;
  std::string text_; ///< Of the file.
};

} // namespace troupe::cli
