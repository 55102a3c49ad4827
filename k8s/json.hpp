#pragma once

#include "k8s/result.hpp"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace troupe::k8s {

using json = nlohmann::json;

/// Reads JSON text; ec::invalid with the reason if it is none. Much faster
/// than json::parse; of repeated keys the last one counts.
result<json> parse_json(std::string_view text);

/// Writes minified JSON. Strings must be valid UTF-8, as parse_json's are.
std::string to_text(const json& value);
void append_text(std::string& out, const json& value);

/// A JSON string literal with its quotes.
void append_quoted(std::string& out, std::string_view text);

/// The value at a path of object keys, or nullptr.
const json* look(const json& value, std::initializer_list<const char*> path);

/// Sets a field that is absent or null.
void set_default(json& object, const char* key, json value);

/// The string at a path, or "".
const std::string& text_at(const json& value,
                           std::initializer_list<const char*> path);

/// The integer at a path, or `otherwise`.
std::int64_t number_at(const json& value,
                       std::initializer_list<const char*> path,
                       std::int64_t otherwise = 0);

/// The object under `key`, made if it is missing or null.
json& section(json& value, const char* key);

/// Whether two values differ nowhere but under the given top-level keys.
bool equal_except(const json& a, const json& b,
                  std::initializer_list<const char*> keys);

} // namespace troupe::k8s
