#include "actors/cli/operator/settings_reload.hpp"

#include "actors/cli/base/embedded_crds.hpp"
#include "config/logging.hpp"
#include "config/settings_text.hpp"
#include "k8s/general/files.hpp"
#include "k8s/text.hpp"

#include <utility>

namespace troupe::cli {

namespace {

/// "" if it cannot be read: reload_and_check_changed() says why.
std::string read_file_or_empty(const std::string& path) {
  auto text = path.empty() ? k8s::result<std::string>{std::string{}}
                           : k8s::read_file(path);
  return text ? *text : "";
}

} // namespace

settings_reload::settings_reload(const config::parsed_flags& flags,
                                 config::settings current)
    : flags_(flags)
    , current_(std::move(current))
    , text_(read_file_or_empty(flags.file)) {}

bool settings_reload::has_file_changed_since_last_call() {
  auto text = read_file_or_empty(flags_.file);
  if (text == text_)
    return false;
  text_ = std::move(text);
  return true;
}

bool settings_reload::reload_and_check_changed() {
  auto next = config::load_settings(flags_.file, config::process_environment(),
                                    flags_.assigned, supported_schemes());
  if (!next) {
    log::error("settings not changed, they cannot be read",
               {{"error", next.error().message}});
    return false;
  }
  auto changed = config::find_changed_settings(current_, *next);
  current_ = config::apply_reloadable_settings(std::move(current_), *next);
  if (!changed.at_restart.empty())
    log::warn("these settings take effect at the next start",
              {{"settings", k8s::join(changed.at_restart, ",")}});
  if (changed.reloadable.empty())
    return false;
  log::configure(current_.log_level, current_.log_format,
                 current_.log_time_encoding);
  log::info("settings changed",
            {{"settings", k8s::join(changed.reloadable, ",")}});
  return true;
}

} // namespace troupe::cli
