#include "actors/cli/settings_reload.hpp"

#include "actors/cli/embedded_crds.hpp"
#include "config/logging.hpp"
#include "config/settings_text.hpp"
#include "k8s/files.hpp"
#include "k8s/text.hpp"

#include <utility>

namespace troupe::cli {

namespace {

/// "" if it cannot be read: read_again() says why.
std::string text_of_file(const std::string& path) {
  auto text = path.empty() ? k8s::result<std::string>{std::string{}}
                           : k8s::read_file(path);
  return text ? *text : "";
}

} // namespace

settings_reload::settings_reload(const config::parsed_flags& flags,
                                 config::settings current)
    : flags_(flags)
    , current_(std::move(current))
    , text_(text_of_file(flags.file)) {}

bool settings_reload::file_changed() {
  auto text = text_of_file(flags_.file);
  if (text == text_)
    return false;
  text_ = std::move(text);
  return true;
}

bool settings_reload::read_again() {
  auto next = config::load(flags_.file, config::process_environment(),
                           flags_.said, supported_job_kinds());
  if (!next) {
    log::error("settings not changed, they cannot be read",
               {{"error", next.error().message}});
    return false;
  }
  auto changed = config::compare(current_, *next);
  current_ = config::with_reloadable(std::move(current_), *next);
  if (!changed.at_restart.empty())
    log::warn("these settings take effect at the next start",
              {{"settings", k8s::join(changed.at_restart, ",")}});
  if (changed.reloadable.empty())
    return false;
  log::start(current_.log_level, current_.log_format,
             current_.log_time_encoding);
  log::info("settings changed",
            {{"settings", k8s::join(changed.reloadable, ",")}});
  return true;
}

} // namespace troupe::cli
