#include "config/logging.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>

namespace troupe::log {

namespace {

struct state {
  std::atomic<format> how{format::text};
  std::atomic<time_encoding> times{time_encoding::iso8601};
  /// Of all levels the lowest: most lines need no more to be dropped.
  std::atomic<level> lowest{level::info};
  std::mutex mutex;
  log::levels levels; ///< Guarded by the mutex.
  std::shared_ptr<spdlog::logger> out = make_stderr_logger();

  static std::shared_ptr<spdlog::logger> make_stderr_logger() {
    auto logger = std::make_shared<spdlog::logger>(
        "troupe", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("%v");
    logger->set_level(spdlog::level::debug); // We decide.
    logger->flush_on(spdlog::level::trace);
    return logger;
  }
};

state& logger_state() {
  static state s;
  return s;
}

spdlog::level::level_enum to_spdlog_level(level l) {
  switch (l) {
  case level::debug:
    return spdlog::level::debug;
  case level::info:
    return spdlog::level::info;
  case level::warn:
    return spdlog::level::warn;
  case level::error:
    break;
  }
  return spdlog::level::err;
}

/// "2006-01-02T15:04:05", in UTC.
std::string format_utc_date_and_time(std::chrono::nanoseconds since_epoch) {
  using namespace std::chrono;
  auto seconds = static_cast<std::time_t>(
      duration_cast<std::chrono::seconds>(since_epoch).count());
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char day[32];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
  return day;
}

/// ".123", with `digits` digits.
std::string format_fraction_of_second(std::chrono::nanoseconds since_epoch,
                                      int digits) {
  char nine[16];
  std::snprintf(nine, sizeof nine, ".%09d",
                static_cast<int>(since_epoch.count() % 1'000'000'000));
  return std::string(nine, static_cast<std::size_t>(digits) + 1);
}

bool is_numeric(time_encoding times) {
  return times >= time_encoding::epoch;
}

std::string format_timestamp(std::chrono::system_clock::time_point now,
                             time_encoding times) {
  std::chrono::nanoseconds ns = now.time_since_epoch();
  switch (times) {
  case time_encoding::iso8601:
    break;
  case time_encoding::rfc3339:
    return format_utc_date_and_time(ns) + "Z";
  case time_encoding::rfc3339nano:
    return format_utc_date_and_time(ns) + format_fraction_of_second(ns, 9)
           + "Z";
  case time_encoding::epoch:
    return std::to_string(ns.count() / 1'000'000'000)
           + format_fraction_of_second(ns, 6);
  case time_encoding::millis:
    return std::to_string(ns.count() / 1'000'000);
  case time_encoding::nano:
    return std::to_string(ns.count());
  }
  return format_utc_date_and_time(ns) + format_fraction_of_second(ns, 3) + "Z";
}

time_encoding parse_time_encoding_or_iso8601(const std::string& word) {
  return word == "rfc3339"       ? time_encoding::rfc3339
         : word == "rfc3339nano" ? time_encoding::rfc3339nano
         : word == "epoch"       ? time_encoding::epoch
         : word == "millis"      ? time_encoding::millis
         : word == "nano"        ? time_encoding::nano
                                 : time_encoding::iso8601;
}

/// Whether it begins with one of U+0080 to U+009F, in UTF-8.
bool is_control_character_of_second_set(std::string_view text) {
  return text.size() > 1 && text[0] == '\xc2'
         && static_cast<unsigned char>(text[1]) >= 0x80
         && static_cast<unsigned char>(text[1]) < 0xa0;
}

/// With quotes. Control characters never reach the terminal or start a line of
/// their own: values come from manifests and servers.
std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool is_second_set = is_control_character_of_second_set(text.substr(i));
    if (is_second_set)
      c = text[++i];
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f
             || is_second_set) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += code;
    } else
      out += c;
  }
  return out + "\"";
}

bool needs_no_quotes(const std::string& text) {
  return !text.empty()
         && std::all_of(text.begin(), text.end(), [](unsigned char c) {
              return c > 0x20 && c != 0x7f && c != 0xc2 && c != '"' && c != '='
                     && c != '\\';
            });
}

/// Changes the levels and what follows from them.
void update_levels(const std::function<void(levels&)>& how) {
  auto& s = logger_state();
  std::lock_guard guard{s.mutex};
  how(s.levels);
  auto lowest = s.levels.general;
  for (const auto& [component, l] : s.levels.components)
    lowest = std::min(lowest, l);
  s.lowest = lowest;
}

void write_line_if_enabled(level l, std::string_view message, fields f,
                           const char* file) {
  auto& s = logger_state();
  if (!is_enabled(l, file))
    return;
  std::vector<field> all{f};
  all.emplace_back("logger", component_of(file));
  auto line = format_line(s.how, l, std::chrono::system_clock::now(), message,
                          all, s.times);
  s.out->log(to_spdlog_level(l),
             spdlog::string_view_t(line.data(), line.size()));
}

} // namespace

std::string format_line(format how, level l,
                        std::chrono::system_clock::time_point now,
                        std::string_view message, const std::vector<field>& f,
                        time_encoding times) {
  auto time = format_timestamp(now, times);
  std::string line;
  if (how == format::json) {
    line = "{\"time\":" + (is_numeric(times) ? time : "\"" + time + "\"")
           + ",\"level\":\"" + to_string(l)
           + "\",\"message\":" + json_quoted(message);
    for (const auto& x : f)
      line += "," + json_quoted(x.key) + ":"
              + (x.bare ? x.value : json_quoted(x.value));
    return line + "}";
  }
  line = time + " " + to_string(l) + " " + std::string(message);
  for (const auto& x : f)
    line += " " + std::string(x.key) + "="
            + (needs_no_quotes(x.value) ? x.value : json_quoted(x.value));
  return line;
}

void configure(level least, format how, time_encoding times) {
  logger_state().how = how;
  logger_state().times = times;
  update_levels([least](levels& l) { l.general = least; });
}

void configure(const std::string& least, const std::string& how,
               const std::string& times) {
  configure(parse_level(least).value_or(level::info),
            how == "json" ? format::json : format::text,
            parse_time_encoding_or_iso8601(times));
}

bool is_enabled(level l, const char* file) {
  auto& s = logger_state();
  if (l < s.lowest.load())
    return false;
  std::lock_guard guard{s.mutex};
  if (s.levels.components.empty())
    return l >= s.levels.general;
  auto own = s.levels.components.find(component_of(file));
  return l
         >= (own == s.levels.components.end() ? s.levels.general : own->second);
}

levels current_levels() {
  std::lock_guard guard{logger_state().mutex};
  return logger_state().levels;
}

void set_level_of_all_components(level l) {
  update_levels([l](levels& all) { all = {l, {}}; });
}

void set_component_level(const std::string& component, std::optional<level> l) {
  update_levels([&](levels& all) {
    if (l)
      all.components[component] = *l;
    else
      all.components.erase(component);
  });
}

std::optional<level> parse_level(std::string_view word) {
  for (auto l : {level::debug, level::info, level::warn, level::error})
    if (word == to_string(l))
      return l;
  return std::nullopt;
}

const char* to_string(level l) {
  switch (l) {
  case level::debug:
    return "debug";
  case level::info:
    return "info";
  case level::warn:
    return "warn";
  case level::error:
    break;
  }
  return "error";
}

std::string component_of(std::string_view file) {
  file = file.substr(file.rfind('/') + 1);
  std::string name{file.substr(0, file.find('.'))};
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void debug(std::string_view message, fields f, const char* file) {
  write_line_if_enabled(level::debug, message, f, file);
}

void info(std::string_view message, fields f, const char* file) {
  write_line_if_enabled(level::info, message, f, file);
}

void warn(std::string_view message, fields f, const char* file) {
  write_line_if_enabled(level::warn, message, f, file);
}

void error(std::string_view message, fields f, const char* file) {
  write_line_if_enabled(level::error, message, f, file);
}

} // namespace troupe::log
