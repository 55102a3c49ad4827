#include "config/flags.hpp"

#include "config/rows.hpp"

#include <CLI/CLI.hpp>

namespace troupe::config {

namespace {

std::string help_of(const row& r) {
  auto text = std::string(r.help);
  auto standard = text_of(r, settings{});
  if (!standard.empty())
    text += " [" + standard + "]";
  if (*r.env != '\0')
    text += " ($" + std::string(r.env) + ")";
  return text;
}

/// Remembers every value of `name`, under the name of the setting.
CLI::callback_t collector(flag_values& to, std::string flag,
                          std::string setting) {
  return [&to, flag, setting](const std::vector<std::string>& values) {
    for (const auto& v : values)
      to.said.push_back({setting, v, flag});
    return true;
  };
}

void add_row(CLI::App& app, flag_values& to, const row& r) {
  auto flag = "--" + std::string(r.name);
  if (std::holds_alternative<bool settings::*>(r.where)) {
    auto option = app.add_flag_function(
        flag,
        [&to, flag, name = std::string(r.name)](std::int64_t n) {
          to.said.push_back({name, n > 0 ? "true" : "false", flag});
        },
        help_of(r));
    option->group(r.group);
    return;
  }
  auto list =
      std::holds_alternative<std::vector<std::string> settings::*>(r.where);
  auto option = app.add_option(flag, collector(to, flag, r.name), help_of(r));
  option->group(r.group)->type_name(
      std::holds_alternative<std::chrono::milliseconds settings::*>(r.where)
          ? "DURATION"
          : "VALUE");
  if (list)
    option->type_size(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  else
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

/// zap's words for our two settings.
void add_zap(CLI::App& app, flag_values& to) {
  constexpr const char* group = "Upstream's log flags";
  app.add_option(
         "--zap-log-level",
         CLI::callback_t([&to](const std::vector<std::string>& v) {
           auto level = v.back();
           // A number is a verbosity: everything above info is debug to us.
           if (level.find_first_not_of("0123456789") == std::string::npos)
             level = level == "0" ? "info" : "debug";
           else if (level == "dpanic" || level == "panic" || level == "fatal")
             level = "error";
           to.said.push_back({"log-level", level, "--zap-log-level"});
           return true;
         }),
         "As log-level, in zap's words")
      ->type_name("LEVEL")
      ->group(group);
  app.add_option("--zap-encoder",
                 CLI::callback_t([&to](const std::vector<std::string>& v) {
                   auto format = v.back() == "console" ? "text" : v.back();
                   to.said.push_back({"log-format", format, "--zap-encoder"});
                   return true;
                 }),
                 "As log-format: json or console")
      ->type_name("FORMAT")
      ->group(group);
  CLI::callback_t ignore = [](const std::vector<std::string>&) { return true; };
  app.add_flag_function(
         "--zap-devel", [](std::int64_t) {}, "Accepted, no effect")
      ->group(group);
  for (auto flag : {"--zap-stacktrace-level", "--zap-time-encoding"})
    app.add_option(flag, ignore, "Accepted, no effect")
        ->type_name("VALUE")
        ->group(group);
}

} // namespace

void add_flags(CLI::App& app, flag_values& to) {
  app.add_option("--config", to.file,
                 "File of settings (YAML); flags and environment go before it")
      ->type_name("FILE");
  for (const auto& r : rows())
    add_row(app, to, r);
  add_zap(app, to);
}

} // namespace troupe::config
