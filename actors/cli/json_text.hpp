#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace troupe::cli {

/// The text at a JSON pointer, "" if there is none. Never throws.
inline std::string text_at(const nlohmann::json& j, const char* pointer) {
  nlohmann::json::json_pointer at{pointer};
  if (!j.is_structured() || !j.contains(at) || !j[at].is_string())
    return "";
  return j[at].get<std::string>();
}

/// The whole number at a JSON pointer, or `otherwise`. Never throws.
inline std::int64_t number_at(const nlohmann::json& j, const char* pointer,
                              std::int64_t otherwise = 0) {
  nlohmann::json::json_pointer at{pointer};
  if (!j.is_structured() || !j.contains(at) || !j[at].is_number())
    return otherwise;
  return j[at].get<std::int64_t>();
}

/// Whether a member is true. Never throws.
inline bool flag_at(const nlohmann::json& j, const char* member) {
  return j.is_object() && j.contains(member)
         && j[member] == nlohmann::json(true);
}

/// The array at a JSON pointer, or an empty one. Never throws.
inline const nlohmann::json& array_at(const nlohmann::json& j,
                                      const char* pointer) {
  static const nlohmann::json none = nlohmann::json::array();
  nlohmann::json::json_pointer at{pointer};
  if (!j.is_structured() || !j.contains(at) || !j[at].is_array())
    return none;
  return j[at];
}

} // namespace troupe::cli
