#include "config/flags.hpp"

#include "config/setting_rows.hpp"

#include <CLI/CLI.hpp>

namespace troupe::config {

namespace {

std::string flag_help_text(const setting_row& r) {
  auto text = std::string(r.help);
  auto standard = format_default(r);
  if (!standard.empty())
    text += " [" + standard + "]";
  if (*r.env != '\0')
    text += " ($" + std::string(r.env) + ")";
  return text;
}

/// Remembers every value of `name`, under the name of the setting.
CLI::callback_t make_flag_collector(parsed_flags& to, std::string flag,
                                    std::string setting) {
  return [&to, flag, setting](const std::vector<std::string>& values) {
    for (const auto& v : values)
      to.assigned.push_back({setting, v, flag});
    return true;
  };
}

void add_setting_flag(CLI::App& app, parsed_flags& to, const setting_row& r) {
  auto flag = "--" + std::string(r.name);
  if (std::holds_alternative<bool settings::*>(r.where)) {
    auto option = app.add_flag_function(
        flag,
        [&to, flag, name = std::string(r.name)](std::int64_t n) {
          to.assigned.push_back({name, n > 0 ? "true" : "false", flag});
        },
        flag_help_text(r));
    option->group(r.group->title);
    return;
  }
  auto list =
      std::holds_alternative<std::vector<std::string> settings::*>(r.where);
  auto option = app.add_option(flag, make_flag_collector(to, flag, r.name),
                               flag_help_text(r));
  option->group(r.group->title)
      ->type_name(
          std::holds_alternative<std::chrono::milliseconds settings::*>(r.where)
              ? "DURATION"
              : "VALUE");
  if (list)
    option->type_size(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  else
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

/// Of a former name of a setting: read, and in no help.
void add_hidden_flag(CLI::App& app, parsed_flags& to, const std::string& name) {
  auto flag = "--" + name;
  app.add_option(flag, make_flag_collector(to, flag, name))
      ->group("")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

/// zap's words for our settings of the log.
void add_zap_log_flags(CLI::App& app, parsed_flags& to) {
  constexpr const char* group = "Upstream's log flags";
  auto add = [&](const char* flag, const char* setting, const char* type,
                 std::string (*translate)(std::string), const char* help) {
    auto collect = [&to, flag, setting,
                    translate](const std::vector<std::string>& v) {
      to.assigned.push_back({setting, translate(v.back()), flag});
      return true;
    };
    app.add_option(flag, CLI::callback_t(collect), help)
        ->type_name(type)
        ->group(group);
  };
  // A number is a verbosity: everything above info is debug to us.
  auto level = [](std::string word) -> std::string {
    if (!word.empty()
        && word.find_first_not_of("0123456789") == std::string::npos)
      return word == "0" ? "info" : "debug";
    return word == "dpanic" || word == "panic" || word == "fatal" ? "error"
                                                                  : word;
  };
  auto format = [](std::string word) {
    return word == "console" ? "text" : word;
  };
  add("--zap-log-level", "log-level", "LEVEL", level,
      "As log-level, in zap's words");
  add("--zap-encoder", "log-format", "FORMAT", format,
      "As log-format: json or console");
  add(
      "--zap-time-encoding", "log-time-encoding", "ENCODING",
      [](std::string word) { return word; }, "As log-time-encoding");
  // It comes first, since the others say more exactly what is wanted.
  auto devel = [&to](std::int64_t n) {
    to.assigned.insert(
        to.assigned.begin(),
        {{"log-level", n > 0 ? "debug" : "info", "--zap-devel"},
         {"log-format", n > 0 ? "text" : "json", "--zap-devel"}});
  };
  app.add_flag_function("--zap-devel", devel,
                        "Debug lines as text; =false: info and above as JSON")
      ->group(group);
  app.add_option("--zap-stacktrace-level",
                 CLI::callback_t([](const CLI::results_t&) { return true; }),
                 "Accepted, no effect: no line has a stack trace")
      ->type_name("LEVEL")
      ->group(group);
}

struct go_flag {
  std::string name;
  std::string value;
  bool has_value = false; ///< After an equals sign.
};

/// Of an argument of two or more characters that begins with a dash: "-name",
/// "--name", "-name=value". No name if a third dash follows.
go_flag parse_go_flag(const std::string& arg) {
  go_flag f;
  auto from = arg.find_first_not_of('-');
  if (from != 1 && from != 2)
    return f;
  auto equals = arg.find('=', from);
  f.name = arg.substr(from, equals - from);
  f.has_value = equals != std::string::npos;
  if (f.has_value)
    f.value = arg.substr(equals + 1);
  return f;
}

std::string unknown_flag_message(const std::string& arg,
                                 const std::string& name) {
  auto near = nearest_setting_name(name);
  return "unknown flag " + arg
         + (near.empty() ? "; --help lists all"
                         : "; did you mean --" + near + "?");
}

} // namespace

k8s::failure invalid_argument_failure(const std::string& flag,
                                      const std::string& value,
                                      const std::string& why) {
  return {k8s::ec::invalid, "invalid argument \"" + value + "\" for \"" + flag
                                + "\" flag: " + why};
}

k8s::result<std::vector<std::string>>
translate_go_flags(const CLI::App& command,
                   const std::vector<std::string>& args) {
  using k8s::ec;
  using k8s::failure;
  std::vector<std::string> result;
  std::string last_switch; // Without a value, in the argument before.
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto& arg = args[i];
    if (arg.size() < 2 || arg[0] != '-' || arg == "--")
      return failure{ec::invalid, "unexpected argument \"" + arg + "\""
                                      + (last_switch.empty()
                                             ? ""
                                             : "; did you mean --" + last_switch
                                                   + "=" + arg + "?")};
    last_switch.clear();
    auto given = parse_go_flag(arg);
    if (given.name == "h" || given.name == "help") {
      result.push_back("--help");
      continue;
    }
    const auto* option = given.name.empty()
                             ? nullptr
                             : command.get_option_no_throw("--" + given.name);
    if (!option)
      return failure{ec::invalid, unknown_flag_message(arg, given.name)};
    auto flag = "--" + given.name;
    bool is_switch = option->get_items_expected_max() == 0;
    if (!given.has_value && is_switch) {
      last_switch = given.name;
      result.push_back(flag);
      continue;
    }
    if (!given.has_value) {
      if (++i == args.size())
        return failure{ec::invalid, "flag needs an argument: " + flag};
      given.value = args[i];
    }
    // An empty value after an equals sign would be taken for none.
    if (given.value.empty() && !is_switch)
      result.insert(result.end(), {flag, ""});
    else
      result.push_back(flag + "=" + given.value);
  }
  return result;
}

void add_all_setting_flags(CLI::App& app, parsed_flags& to) {
  app.add_option("--config", to.file,
                 "File of settings (YAML); flags and environment go before it")
      ->type_name("FILE");
  for (const auto& r : setting_rows())
    add_setting_flag(app, to, r);
  for (const auto& former : former_setting_names())
    add_hidden_flag(app, to, former);
  add_zap_log_flags(app, to);
}

} // namespace troupe::config
