#include "k8s/json.hpp"

#include "k8s/deep_json.hpp"
#include "k8s/json_outline.hpp"
#include "k8s/text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

namespace troupe::k8s {

namespace {

json from_simdjson(simdjson::dom::element e) {
  using type = simdjson::dom::element_type;
  switch (e.type()) {
  case type::ARRAY: {
    json out = json::array();
    auto& items = out.get_ref<json::array_t&>();
    for (auto i : simdjson::dom::array(e))
      items.push_back(from_simdjson(i));
    return out;
  }
  case type::OBJECT: {
    json out = json::object();
    auto& fields = out.get_ref<json::object_t&>();
    for (auto f : simdjson::dom::object(e))
      fields.insert_or_assign(std::string(f.key), from_simdjson(f.value));
    return out;
  }
  case type::INT64:
    return std::int64_t(e);
  case type::UINT64:
    return std::uint64_t(e);
  case type::DOUBLE:
    return double(e);
  case type::STRING:
    return std::string(std::string_view(e));
  case type::BOOL:
    return bool(e);
  case type::NULL_VALUE:
    break;
  }
  return nullptr;
}

/// The parser of this thread, for one text. It takes a dozen times its text:
/// what a long one took is given back.
class borrowed_parser {
public:
  borrowed_parser() = default;
  borrowed_parser(const borrowed_parser&) = delete;
  borrowed_parser& operator=(const borrowed_parser&) = delete;
  ~borrowed_parser() {
    if (parser_.capacity() > worth_giving_back)
      parser_ = simdjson::dom::parser{most_of_a_text};
  }

  /// The element is valid until this or the next borrowed one ends.
  simdjson::error_code parse(std::string_view text,
                             simdjson::dom::element& root) {
    if (text.empty()) // It may be no text: simdjson would copy from nullptr.
      return simdjson::EMPTY;
    const auto deepest = json_depth_limit_of_this_thread();
    if (parser_.max_depth() != deepest)
      if (auto wrong = parser_.allocate(
              std::max<std::size_t>(text.size(), 65536), deepest))
        return wrong;
    return parser_.parse(text.data(), text.size()).get(root);
  }

  static constexpr std::size_t worth_giving_back = 256u << 10;

private:
  static constexpr std::size_t most_of_a_text = 256u << 20;

  static simdjson::dom::parser& of_this_thread() {
    thread_local simdjson::dom::parser parser{most_of_a_text};
    return parser;
  }

  simdjson::dom::parser& parser_ = of_this_thread();
};

/// A discarded value if it is no JSON or nested too deeply.
json parse_large_integers_or_discarded(std::string_view text) {
  bool too_deep = false;
  const auto deepest = json_depth_limit_of_this_thread();
  auto note_depth = [&](int depth, json::parse_event_t, json&) {
    too_deep |= depth > static_cast<int>(deepest);
    return !too_deep;
  };
  auto value = json::parse(text, note_depth, false);
  return too_deep ? json(json::value_t::discarded) : value;
}

template <class Number>
void append_number(std::string& out, Number n) {
  char digits[24];
  auto end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  out.append(digits, end);
}

} // namespace

result<json> parse_json(std::string_view text) {
  borrowed_parser parser;
  simdjson::dom::element root;
  auto wrong = parser.parse(text, root);
  if (!wrong)
    return from_simdjson(root);
  // It knows no integers above 64 bits; these are read as Go reads them.
  if (wrong == simdjson::NUMBER_ERROR)
    if (auto value = parse_large_integers_or_discarded(text);
        !value.is_discarded())
      return value;
  return failure{ec::invalid, simdjson::error_message(wrong)};
}

std::string find_json_error(std::string_view text) {
  std::string why = "it is not well-formed";
  if (text.size() <= borrowed_parser::worth_giving_back) {
    borrowed_parser parser;
    simdjson::dom::element root;
    auto wrong = parser.parse(text, root);
    if (!wrong)
      return {};
    why = simdjson::error_message(wrong);
  }
  // Knows no limits on depth and numbers, and takes no memory for values.
  return json::accept(text) ? "" : why;
}

json parse_json_or_null(std::string_view text) {
  auto value = parse_json(text);
  return value ? std::move(*value) : json{};
}

json parse_json_members(std::string_view text,
                        const std::vector<json_path>& paths) {
  borrowed_parser parser;
  simdjson::dom::element root;
  if (parser.parse(text, root))
    return parse_json_or_null(text);
  auto out = json::object();
  for (const auto& path : paths) {
    auto found = root;
    bool is_there = std::all_of(path.begin(), path.end(), [&](const auto& key) {
      return !found.at_key(key).get(found);
    });
    if (!is_there)
      continue;
    auto* member = &out;
    for (const auto& key : path)
      member = &(*member)[key];
    *member = from_simdjson(found);
  }
  return out;
}

void append_quoted(std::string& out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  if (!is_utf8(text)) {
    out += json(std::string{text})
               .dump(-1, ' ', false, json::error_handler_t::replace);
    return;
  }
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\')
      continue;
    out.append(text.data() + plain, i - plain);
    plain = i + 1;
    out += '\\';
    if (c == '"' || c == '\\')
      out += static_cast<char>(c);
    else if (c == '\n')
      out += 'n';
    else if (c == '\t')
      out += 't';
    else if (c == '\r')
      out += 'r';
    else
      out.append("u00").append(1, hex[c >> 4]).append(1, hex[c & 15]);
  }
  out.append(text.data() + plain, text.size() - plain);
  out += '"';
}

std::string to_quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

namespace {

template <class F>
void append_value(std::string& out, const json& value, const F& append_string) {
  bool first = true;
  auto comma = [&] {
    if (!std::exchange(first, false))
      out += ',';
  };
  switch (value.type()) {
  case json::value_t::object:
    out += '{';
    for (const auto& [key, v] : value.get_ref<const json::object_t&>()) {
      comma();
      append_quoted(out, key);
      out += ':';
      append_value(out, v, append_string);
    }
    out += '}';
    break;
  case json::value_t::array:
    out += '[';
    for (const auto& v : value.get_ref<const json::array_t&>()) {
      comma();
      append_value(out, v, append_string);
    }
    out += ']';
    break;
  case json::value_t::string:
    append_string(out, value.get_ref<const std::string&>());
    break;
  case json::value_t::boolean:
    out += value.get<bool>() ? "true" : "false";
    break;
  case json::value_t::number_integer:
    append_number(out, value.get<std::int64_t>());
    break;
  case json::value_t::number_unsigned:
    append_number(out, value.get<std::uint64_t>());
    break;
  case json::value_t::number_float:
    out += value.dump();
    break;
  case json::value_t::binary: { // See json_outline.hpp.
    const auto& text = value.get_binary();
    out.append(text.begin(), text.end());
    break;
  }
  default:
    out += "null";
  }
}

} // namespace

void append_text(std::string& out, const json& value) {
  append_value(out, value, append_quoted);
}

void append_text(std::string& out, const json& value,
                 const std::function<void(std::string&, const std::string&)>&
                     append_string) {
  append_value(out, value, append_string);
}

std::string to_text(const json& value) {
  std::string out;
  out.reserve(1024);
  append_text(out, value);
  return out;
}

std::string to_indented_text(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace);
}

const json* find_value(const json& value, key_path path) {
  const json* here = &value;
  for (const char* key : path) {
    if (!here->is_object())
      return nullptr;
    auto i = here->find(key);
    if (i == here->end())
      return nullptr;
    here = &*i;
  }
  return here;
}

const json& value_at(const json& value, key_path path) {
  static const json null;
  auto* v = find_value(value, path);
  return v ? *v : null;
}

const std::string& text_at(const json& value, key_path path) {
  static const std::string none;
  auto* v = find_value(value, path);
  return v && v->is_string() ? v->get_ref<const std::string&>() : none;
}

std::string text_at(const json& value, key_path path,
                    const std::string& otherwise) {
  auto* v = find_value(value, path);
  return v && v->is_string() ? v->get_ref<const std::string&>() : otherwise;
}

std::optional<std::int64_t> int64_at(const json& value, key_path path) {
  const auto& v = value_at(value, path);
  if (!v.is_number_integer())
    return std::nullopt;
  if (v.is_number_unsigned() && v.get<std::uint64_t>() > INT64_MAX)
    return std::nullopt;
  return v.get<std::int64_t>();
}

std::optional<std::int32_t> int32_at(const json& value, key_path path) {
  auto n = int64_at(value, path);
  if (!n || *n < INT32_MIN || *n > INT32_MAX)
    return std::nullopt;
  return static_cast<std::int32_t>(*n);
}

std::int64_t number_at(const json& value, key_path path,
                       std::int64_t otherwise) {
  return int64_at(value, path).value_or(otherwise);
}

bool bool_at(const json& value, key_path path) {
  return value_at(value, path) == true;
}

const json& array_at(const json& value, key_path path) {
  static const json none = json::array();
  const auto& v = value_at(value, path);
  return v.is_array() ? v : none;
}

std::vector<std::string> strings_at(const json& value, key_path path) {
  std::vector<std::string> out;
  for (const auto& one : array_at(value, path))
    if (one.is_string())
      out.push_back(one.get_ref<const std::string&>());
  return out;
}

void set_default(json& object, const char* key, json value) {
  auto& v = object[key];
  if (v.is_null())
    v = std::move(value);
}

json& ensure_object(json& object, const char* key) {
  json& v = object[key];
  if (!v.is_object())
    v = json::object();
  return v;
}

json& ensure_array(json& object, const char* key) {
  json& v = object[key];
  if (!v.is_array())
    v = json::array();
  return v;
}

bool equal_except(const json& a, const json& b,
                  std::initializer_list<const char*> keys) {
  auto skipped = [&](const std::string& key) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const char* k) { return key == k; });
  };
  if (!a.is_object() || !b.is_object())
    return a == b;
  auto i = a.begin(), j = b.begin();
  for (;;) {
    while (i != a.end() && skipped(i.key()))
      ++i;
    while (j != b.end() && skipped(j.key()))
      ++j;
    if (i == a.end() || j == b.end())
      return i == a.end() && j == b.end();
    if (i.key() != j.key() || *i != *j)
      return false;
    ++i;
    ++j;
  }
}

} // namespace troupe::k8s
