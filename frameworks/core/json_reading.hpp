#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::core {

// Reading JSON of unknown shape without exceptions. Only for sources.

using json = nlohmann::json;

/// The text as JSON; null if it is none.
inline json parse_json(std::string_view text) {
  auto result = json::parse(text, nullptr, false);
  return result.is_discarded() ? json{} : result;
}

/// Never throws: what is no UTF-8 is replaced.
inline std::string print_json(const json& j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// A member, or null if there is none or `j` is no object.
inline const json& member(const json& j, const char* key) {
  static const json null;
  if (!j.is_object())
    return null;
  auto i = j.find(key);
  return i == j.end() ? null : *i;
}

/// The member as a list to add to; an empty one if it was none.
inline json& list_in(json& object, const char* key) {
  auto& result = object[key];
  if (!result.is_array())
    result = json::array();
  return result;
}

inline std::string text_or(const json& j, std::string otherwise = {}) {
  return j.is_string() ? j.get<std::string>() : otherwise;
}

inline std::optional<std::int64_t> number(const json& j) {
  if (!j.is_number_integer())
    return std::nullopt;
  if (j.is_number_unsigned()
      && j.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    return std::nullopt;
  return j.get<std::int64_t>();
}

/// As `number`, if it fits.
inline std::optional<std::int32_t> small_number(const json& j) {
  auto n = number(j);
  if (!n || *n < INT32_MIN || *n > INT32_MAX)
    return std::nullopt;
  return static_cast<std::int32_t>(*n);
}

} // namespace troupe::core
