#include "k8s/apiserver/schema/schema_validation.hpp"

#include "k8s/objects.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace troupe::k8s::apiserver {

namespace {

/// What has been found, and what may still be spent.
struct validation {
  field_errors& errors;
  /// Of matching patterns, for the value as a whole.
  std::size_t& steps_left;

  void push_back(field_error e) { errors.push_back(std::move(e)); }
};

void validate_changed_parts(const schema& s, const json& value, const json* old,
                            const std::string& path, validation out);

std::string join_path(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

const char* type_name(const json& v) {
  switch (v.type()) {
  case json::value_t::object:
    return "object";
  case json::value_t::array:
    return "array";
  case json::value_t::string:
    return "string";
  case json::value_t::boolean:
    return "boolean";
  case json::value_t::number_integer:
  case json::value_t::number_unsigned:
    return "integer";
  case json::value_t::number_float:
    return "number";
  default:
    return "null";
  }
}

/// Doubles beyond 2^53 - 1 are not known to be whole, as they are rounded.
bool is_certainly_whole(double d) {
  constexpr double most = 9'007'199'254'740'991;
  return std::fabs(d) <= most && std::trunc(d) == d;
}

bool is_whole_number(const json& v) {
  return v.is_number_integer()
         || (v.is_number_float() && is_certainly_whole(v.get<double>()));
}

/// Integers are divided as such, since a double would round the large ones.
bool is_multiple_of(const json& v, const json& factor) {
  auto n = int64_at(v, {});
  auto divisor = int64_at(factor, {});
  if (n && divisor && *divisor > 0)
    return *n % *divisor == 0;
  return is_certainly_whole(v.get<double>() / factor.get<double>());
}

bool matches_type(const schema& s, const json& v) {
  if (s.int_or_string)
    return v.is_string() || is_whole_number(v);
  if (s.type.empty())
    return true;
  if (s.type == "number")
    return v.is_number();
  if (s.type == "integer")
    return is_whole_number(v);
  return s.type == type_name(v);
}

field_error wrong_type_error(const schema& s, const json& v,
                             const std::string& path) {
  std::string wanted = s.int_or_string ? "integer,string" : s.type;
  auto in_body = path + " in body must be of type " + wanted + ": \""
                 + type_name(v) + "\"";
  return {path, "FieldValueTypeInvalid",
          "Invalid value: \"" + std::string(type_name(v)) + "\": " + in_body};
}

// Names a bound as API servers do: "spec.x in body should be ...".
void add_error_if(bool broken, const json& v, const std::string& path,
                  const std::string& should_clause, validation out) {
  if (broken)
    out.push_back(
        invalid_value(path, v, path + " in body should " + should_clause));
}

std::size_t utf8_length(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      }));
}

void check_text_matches_pattern(const schema& s, const std::string& text,
                                const json& v, const std::string& path,
                                validation out) {
  auto steps = step_count(*s.pattern) * (text.size() + 1);
  if (steps > out.steps_left)
    out.push_back(
        {path, "FieldValueTooLong",
         "Too long: with the texts before it, it would take too long "
         "to match with '"
             + s.pattern_text
             + "'; make them shorter, or repeat less in the pattern"});
  else
    add_error_if(!matches_part_of_text(*s.pattern, text), v, path,
                 "match '" + s.pattern_text + "'", out);
  out.steps_left -= std::min(steps, out.steps_left);
}

void check_string(const schema& s, const json& v, const std::string& path,
                  validation out) {
  const auto& text = v.get_ref<const std::string&>();
  bool is_bounded = s.max_length >= 0 || s.min_length >= 0;
  auto n = is_bounded ? static_cast<std::int64_t>(utf8_length(text)) : 0;
  // Of a text only the first error is named.
  if (s.max_length >= 0 && n > s.max_length)
    out.push_back({path, "FieldValueTooLong",
                   "Too long: may not be more than "
                       + std::to_string(s.max_length) + " bytes"});
  else if (s.min_length >= 0 && n < s.min_length)
    add_error_if(true, v, path,
                 "be at least " + std::to_string(s.min_length) + " chars long",
                 out);
  else if (s.format == "date-time" && !from_rfc3339(text))
    out.push_back({path, "FieldValueTypeInvalid",
                   "Invalid value: " + to_text(v) + ": " + path
                       + " in body must be of type date-time: " + to_text(v)});
  else if (s.pattern)
    check_text_matches_pattern(s, text, v, path, out);
}

void check_number(const schema& s, const json& v, const std::string& path,
                  validation out) {
  auto n = v.get<double>();
  if (s.minimum.is_number()) {
    auto m = s.minimum.get<double>();
    add_error_if(s.exclusive_minimum ? n <= m : n < m, v, path,
                 (s.exclusive_minimum ? "be greater than "
                                      : "be greater than or equal to ")
                     + to_text(s.minimum),
                 out);
  }
  if (s.maximum.is_number()) {
    auto m = s.maximum.get<double>();
    add_error_if(
        s.exclusive_maximum ? n >= m : n > m, v, path,
        (s.exclusive_maximum ? "be less than " : "be less than or equal to ")
            + to_text(s.maximum),
        out);
  }
  if (s.multiple_of.is_number() && s.multiple_of != 0)
    add_error_if(!is_multiple_of(v, s.multiple_of), v, path,
                 "be a multiple of " + to_text(s.multiple_of), out);
}

void check_unique_items(const schema& s, const json& v, const std::string& path,
                        validation out) {
  if (s.may_list_repeat || (!s.list_is_set && s.list_map_keys.empty()))
    return;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < v.size(); ++i) {
    json key = s.list_is_set ? v[i] : json::object();
    for (const auto& k : s.list_map_keys)
      if (auto* x = find_value(v[i], {k.c_str()}))
        key[k] = *x;
    if (!seen.insert(to_text(key)).second)
      out.push_back(duplicate_value(path + "[" + std::to_string(i) + "]", key));
  }
}

/// By which an item is known in a list that is merged.
std::string keys_of_item(const schema& list, const json& item) {
  json keys = json::object();
  for (const auto& k : list.list_map_keys)
    if (auto* x = find_value(item, {k.c_str()}))
      keys[k] = *x;
  return to_text(keys);
}

/// The items of the old list, whose place others may take, by their keys. Lists
/// may be long: not to be looked through for each item.
using old_items = std::unordered_map<std::string, const json*>;

old_items index_old_items(const schema& list, const json* old) {
  old_items out;
  if (old && old->is_array() && !list.list_map_keys.empty())
    for (const auto& item : *old)
      out.emplace(keys_of_item(list, item), &item);
  return out;
}

const json* find_old_item(const old_items& old, const schema& list,
                          const json& item) {
  if (old.empty())
    return nullptr;
  auto i = old.find(keys_of_item(list, item));
  return i == old.end() ? nullptr : i->second;
}

void check_array(const schema& s, const json& v, const json* old,
                 const std::string& path, validation out) {
  auto n = static_cast<std::int64_t>(v.size());
  add_error_if(s.min_items >= 0 && n < s.min_items, n, path,
               "have at least " + std::to_string(s.min_items) + " items", out);
  if (s.max_items >= 0 && n > s.max_items)
    out.push_back({path, "FieldValueTooMany",
                   "Too many: " + std::to_string(n) + ": must have at most "
                       + std::to_string(s.max_items) + " items"});
  check_unique_items(s, v, path, out);
  if (!s.items)
    return;
  const auto before = index_old_items(s, old);
  for (std::size_t i = 0; i < v.size(); ++i)
    validate_changed_parts(*s.items, v[i], find_old_item(before, s, v[i]),
                           path + "[" + std::to_string(i) + "]", out);
}

void check_embedded_resource(const json& v, const std::string& path,
                             validation out) {
  for (auto key : {"apiVersion", "kind"})
    if (auto* text = find_value(v, {key}); !text || *text == "")
      out.push_back(required_value(join_path(path, key)));
}

void check_object(const schema& s, const json& v, const json* old,
                  const std::string& path, validation out) {
  auto n = static_cast<std::int64_t>(v.size());
  add_error_if(
      s.min_properties >= 0 && n < s.min_properties, n, path,
      "have at least " + std::to_string(s.min_properties) + " properties", out);
  if (s.max_properties >= 0 && n > s.max_properties)
    out.push_back({path, "FieldValueTooMany",
                   "Too many: " + std::to_string(n) + ": must have at most "
                       + std::to_string(s.max_properties) + " items"});
  // The object as a whole has been checked before.
  if (s.embedded_resource && !path.empty())
    check_embedded_resource(v, path, out);
  for (const auto& key : s.required)
    if (!v.contains(key))
      out.push_back(required_value(join_path(path, key)));
  for (const auto& [key, child] : v.items()) {
    const json* before = old ? find_value(*old, {key.c_str()}) : nullptr;
    auto p = s.properties.find(key);
    if (p != s.properties.end())
      validate_changed_parts(p->second, child, before, join_path(path, key),
                             out);
    else if (s.additional_properties)
      validate_changed_parts(*s.additional_properties, child, before,
                             join_path(path, key), out);
  }
}

bool is_valid(const schema& s, const json& v, std::size_t& steps_left) {
  field_errors found;
  validate_changed_parts(s, v, nullptr, "x", {found, steps_left});
  return found.empty();
}

void check_schema_combinators(const schema& s, const json& v,
                              const std::string& path, validation out) {
  auto matches = [&](const schema& b) {
    return is_valid(b, v, out.steps_left);
  };
  for (const auto& b : s.all_of)
    validate_changed_parts(b, v, nullptr, path, out);
  if (!s.any_of.empty()
      && std::none_of(s.any_of.begin(), s.any_of.end(), matches))
    out.push_back(invalid_value(
        path, "", path + " in body must validate at least one schema (anyOf)"));
  auto fitting = std::count_if(s.one_of.begin(), s.one_of.end(), matches);
  if (!s.one_of.empty() && fitting != 1)
    out.push_back(invalid_value(
        path, "",
        "\"" + path + "\" must validate one and only one schema (oneOf). Found "
            + (fitting == 0
                   ? std::string("none valid")
                   : std::to_string(fitting) + " valid alternatives")));
  if (s.not_schema && is_valid(*s.not_schema, v, out.steps_left))
    out.push_back(invalid_value(
        path, "", path + " in body must not validate the schema (not)"));
}

void validate_changed_parts(const schema& s, const json& value, const json* old,
                            const std::string& path, validation out) {
  if (value.is_null() && s.nullable)
    return;
  // What was stored before and is not changed is not checked again, as a
  // definition, or the version of the request, may ask for more since.
  if (old && value == *old)
    return;
  bool fits = matches_type(s, value);
  if (!fits)
    out.push_back(wrong_type_error(s, value, path));
  if (s.enum_values.is_array()
      && std::find(s.enum_values.begin(), s.enum_values.end(), value)
             == s.enum_values.end()) {
    std::vector<std::string> known;
    for (const auto& v : s.enum_values)
      known.push_back(v.is_string() ? v.get<std::string>() : to_text(v));
    out.push_back(unsupported_value(path, value, known));
  }
  if (!fits)
    return;
  if (value.is_string())
    check_string(s, value, path, out);
  else if (value.is_number())
    check_number(s, value, path, out);
  else if (value.is_array())
    check_array(s, value, old, path, out);
  else if (value.is_object())
    check_object(s, value, old, path, out);
  check_schema_combinators(s, value, path, out);
  if (old && value != *old)
    for (const auto& message : s.immutable_messages)
      out.push_back(
          {path, "FieldValueInvalid",
           "Invalid value: "
               + (value.is_structured() ? to_text(std::string(type_name(value)))
                                        : to_text(value))
               + ": " + message});
}

} // namespace

void validate_value_except_unchanged(const schema& s, const json& value,
                                     const json* old, const std::string& path,
                                     field_errors& out) {
  // Half a second, should each of them be taken; mostly it is one a byte.
  std::size_t steps_left = 1 << 28;
  validate_changed_parts(s, value, old, path, {out, steps_left});
}

void drop_null_members(json& value) {
  if (value.is_object())
    for (auto i = value.begin(); i != value.end();)
      i = i->is_null() ? value.erase(i) : std::next(i);
  for (auto& member : value)
    if (member.is_structured())
      drop_null_members(member);
}

} // namespace troupe::k8s::apiserver
