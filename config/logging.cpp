#include "config/logging.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <ctime>
#include <memory>

namespace troupe::log {

namespace {

struct state {
  format how = format::text;
  std::shared_ptr<spdlog::logger> out = make();

  static std::shared_ptr<spdlog::logger> make() {
    auto logger = std::make_shared<spdlog::logger>(
        "troupe", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("%v");
    logger->set_level(spdlog::level::info);
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

const char* word(level l) {
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

std::string timestamp(std::chrono::system_clock::time_point now) {
  using namespace std::chrono;
  auto ms = duration_cast<milliseconds>(now.time_since_epoch()).count();
  auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char day[32];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
  char text[48];
  std::snprintf(text, sizeof text, "%s.%03dZ", day,
                static_cast<int>(ms % 1000));
  return text;
}

/// With quotes. Control characters never reach the terminal or start a line of
/// their own: values come from manifests and servers.
std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else
      out += c;
  }
  return out + "\"";
}

bool plain(const std::string& text) {
  return !text.empty()
         && std::all_of(text.begin(), text.end(), [](unsigned char c) {
              return c > 0x20 && c != 0x7f && c != '"' && c != '=' && c != '\\';
            });
}

void write(level l, std::string_view message, fields f) {
  auto& s = logger_state();
  if (!enabled(l))
    return;
  auto line = render(s.how, l, std::chrono::system_clock::now(), message, f);
  s.out->log(to_spdlog_level(l),
             spdlog::string_view_t(line.data(), line.size()));
}

} // namespace

std::string render(format how, level l,
                   std::chrono::system_clock::time_point now,
                   std::string_view message, const std::vector<field>& f) {
  std::string line;
  if (how == format::json) {
    line = "{\"time\":\"" + timestamp(now) + "\",\"level\":\"" + word(l)
           + "\",\"message\":" + json_quoted(message);
    for (const auto& x : f)
      line += "," + json_quoted(x.key) + ":"
              + (x.bare ? x.value : json_quoted(x.value));
    return line + "}";
  }
  line = timestamp(now) + " " + word(l) + " " + std::string(message);
  for (const auto& x : f)
    line += " " + std::string(x.key) + "="
            + (plain(x.value) ? x.value : json_quoted(x.value));
  return line;
}

void start(level least, format how) {
  logger_state().how = how;
  logger_state().out->set_level(to_spdlog_level(least));
}

void start(const std::string& least, const std::string& how) {
  auto l = least == "debug"   ? level::debug
           : least == "warn"  ? level::warn
           : least == "error" ? level::error
                              : level::info;
  start(l, how == "json" ? format::json : format::text);
}

bool enabled(level l) {
  return logger_state().out->should_log(to_spdlog_level(l));
}

void debug(std::string_view message, fields f) {
  write(level::debug, message, f);
}

void info(std::string_view message, fields f) {
  write(level::info, message, f);
}

void warn(std::string_view message, fields f) {
  write(level::warn, message, f);
}

void error(std::string_view message, fields f) {
  write(level::error, message, f);
}

} // namespace troupe::log
