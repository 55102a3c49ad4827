#pragma once

#include "k8s/result.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s {

using json = nlohmann::json;

/// Reads JSON text; ec::invalid with the reason if it is not JSON. Much faster
/// than json::parse; of repeated keys the last one counts.
result<json> parse_json(std::string_view text);

/// Reads JSON text; null if it is not JSON.
json parse_json_or_null(std::string_view text);

/// The keys that lead to a member.
using json_path = std::vector<std::string>;

/// Reads only the members at these paths, much faster than the whole text. The
/// result is an object that has each existing member at its path; or the whole
/// value if the text cannot be read in this way; or null if it is not JSON.
json parse_json_members(std::string_view text,
                        const std::vector<json_path>& paths);

/// Writes minified JSON. Bytes that are not UTF-8 are replaced.
std::string to_text(const json& value);
void append_text(std::string& out, const json& value);
/// The same, except that `append_string` appends the literal of each string
/// that is not a key.
void append_text(
    std::string& out, const json& value,
    const std::function<void(std::string& out, const std::string& text)>&
        append_string);
/// The same over several lines, for people.
std::string to_indented_text(const json& value);

/// A JSON string literal with its quotes.
void append_quoted(std::string& out, std::string_view text);
std::string to_quoted(std::string_view text);

// Access to JSON of unknown shape. Nothing here throws: a value of another type
// reads as if it were missing.

/// Keys of objects, from the outside to the inside; {} is the value itself.
using key_path = std::initializer_list<const char*>;

/// The value at a path, or nullptr.
const json* find_value(const json& value, key_path path);

/// The value at a path, or null.
const json& value_at(const json& value, key_path path);

/// The string at a path, or "".
const std::string& text_at(const json& value, key_path path);
std::string text_at(const json& value, key_path path,
                    const std::string& otherwise);

/// The integer at a path, if there is one that fits.
std::optional<std::int64_t> int64_at(const json& value, key_path path);
std::optional<std::int32_t> int32_at(const json& value, key_path path);

/// The integer at a path, or `otherwise`.
std::int64_t number_at(const json& value, key_path path,
                       std::int64_t otherwise = 0);

/// Whether there is a `true` at a path.
bool bool_at(const json& value, key_path path);

/// The array at a path, or an empty one.
const json& array_at(const json& value, key_path path);

/// The strings in the array at a path.
std::vector<std::string> strings_at(const json& value, key_path path);

/// Sets a field that is absent or null.
void set_default(json& object, const char* key, json value);

/// The object under `key`. If it is missing or not an object, an empty one
/// takes its place.
json& ensure_object(json& object, const char* key);

/// The array under `key`. If it is missing or not an array, an empty one takes
/// its place.
json& ensure_array(json& object, const char* key);

/// Whether two values are equal except under the given top-level keys.
bool equal_except(const json& a, const json& b,
                  std::initializer_list<const char*> keys);

} // namespace troupe::k8s
