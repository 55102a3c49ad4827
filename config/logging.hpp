#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// The log: one line per event on standard error. The message is constant, and
/// everything that varies is a field, so that lines can be counted and found:
///
///     log::info("pod created", {{"job", key}, {"slot", slot}});
///
/// The logger of a line is its component: the name of the source file that
/// wrote it ("leader-elector"), as for klog's -vmodule. Each component may have
/// a level of its own. Any thread may call; lines are never mixed.
namespace troupe::log {

enum class level : std::uint8_t { debug, info, warn, error };
enum class format : std::uint8_t { text, json };
/// How a line shows its time; the words are zap's. The first three are dates in
/// UTC, the others count seconds, ms or ns since 1970.
enum class time_encoding : std::uint8_t {
  iso8601,
  rfc3339,
  rfc3339nano,
  epoch,
  millis,
  nano
};

/// One key with its value. Lives as long as the call whose argument it is.
struct field {
  field(std::string_view k, std::string v)
      : key(k)
      , value(std::move(v)) {}
  field(std::string_view k, std::string_view v)
      : key(k)
      , value(v) {}
  field(std::string_view k, const char* v)
      : key(k)
      , value(v) {}
  field(std::string_view k, std::chrono::milliseconds v)
      : key(k)
      , value(std::to_string(v.count()) + "ms") {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  field(std::string_view k, T v)
      : key(k)
      , value(format_field_value(v))
      , bare(true) {}

  std::string_view key;
  std::string value;
  bool bare = false; ///< A number or a truth value: unquoted in JSON.

private:
  static std::string format_field_value(bool v) { return v ? "true" : "false"; }
  template <class T>
  static std::string format_field_value(T v) {
    return std::to_string(v);
  }
};

using fields = std::initializer_list<field>;

/// May be called on any thread, and more than once. Before the first call the
/// log has level info, as text.
void configure(level least, format how,
               time_encoding times = time_encoding::iso8601);
/// The same, from the words of the settings; unknown words mean the defaults.
void configure(const std::string& least, const std::string& how,
               const std::string& times);

// `file` is the source file of the caller.

/// Whether a line of this level would be written: for fields that are costly to
/// make.
bool is_enabled(level l, const char* file = __builtin_FILE());

void debug(std::string_view message, fields f = {},
           const char* file = __builtin_FILE());
void info(std::string_view message, fields f = {},
          const char* file = __builtin_FILE());
void warn(std::string_view message, fields f = {},
          const char* file = __builtin_FILE());
void error(std::string_view message, fields f = {},
           const char* file = __builtin_FILE());

/// The general level, and the levels of components that have one of their own.
struct levels {
  level general = level::info;
  std::map<std::string, level> components;
};

levels current_levels();
/// Also forgets the levels of single components, which configure() leaves as
/// they are.
void set_level_of_all_components(level l);
/// Sets the level of one component; nullopt: it follows the general level.
void set_component_level(const std::string& component, std::optional<level> l);

/// "debug", "info", "warn" or "error".
std::optional<level> parse_level(std::string_view word);
const char* to_string(level l);

/// "actors/leadership/leader_elector.cpp" -> "leader-elector".
std::string component_of(std::string_view file);

/// One line without its end, as it is written. Pure.
std::string format_line(format how, level l,
                        std::chrono::system_clock::time_point now,
                        std::string_view message, const std::vector<field>& f,
                        time_encoding times = time_encoding::iso8601);

} // namespace troupe::log
