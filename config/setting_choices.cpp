#include "config/setting_choices.hpp"

namespace troupe::config {

namespace {

struct choices_of_setting {
  std::string_view name;
  std::vector<std::string> words;
};

} // namespace

std::vector<std::string> setting_choices(std::string_view name) {
  static const choices_of_setting all[] = {
      {"log-level", {"debug", "info", "warn", "error"}},
      {"log-format", {"text", "json"}},
      {"log-time-encoding",
       {"iso8601", "rfc3339", "rfc3339nano", "epoch", "millis", "nano"}},
      {"di-server-access", {"job-pods", "anybody"}},
      {"gpu-alloc-policy", {"simple"}},
  };
  for (const auto& setting : all)
    if (setting.name == name)
      return setting.words;
  return {};
}

} // namespace troupe::config
