#include "k8s/json_outline.hpp"

#include "k8s/json_parts.hpp"

#include <algorithm>

namespace troupe::k8s {

namespace {

constexpr std::string_view blanks = " \t\r\n";

class outline_reader {
public:
  outline_reader(const std::vector<json_path>& opened, std::size_t most_values)
      : opened_(opened)
      , left_(most_values) {}

  json read(std::string_view text, const json_path& at) {
    auto begin = text.find_first_not_of(blanks);
    if (begin == text.npos)
      return nullptr;
    if (text[begin] != '{' && text[begin] != '[')
      return parse_json_or_null(text);
    auto inside = text.find_first_not_of(blanks, begin + 1);
    if (inside != text.npos && (text[inside] == '}' || text[inside] == ']'))
      return text[begin] == '{' ? json::object() : json::array();
    if (text[begin] == '{' && is_opened(at) && take_room_for_members(text))
      return read_members(text, at);
    return make_text_value(text);
  }

private:
  bool is_opened(const json_path& at) const {
    return std::find(opened_.begin(), opened_.end(), at) != opened_.end();
  }

  bool take_room_for_members(std::string_view text) {
    std::size_t count = 0;
    for_each_json_member(text, [&](auto, auto) { ++count; });
    if (count > left_)
      return false;
    left_ -= count;
    return true;
  }

  json read_members(std::string_view text, const json_path& at) {
    auto out = json::object();
    for_each_json_member(text,
                         [&](std::string_view written, std::string_view value) {
                           auto key = read_key(written);
                           auto path = at;
                           path.push_back(key);
                           out[std::move(key)] = read(value, path);
                         });
    return out;
  }

  static std::string read_key(std::string_view written) {
    if (written.find('\\') == written.npos)
      return std::string{written};
    auto quoted = "\"" + std::string{written} + "\"";
    auto key = parse_json_or_null(quoted);
    return key.is_string() ? key.get<std::string>() : quoted;
  }

  const std::vector<json_path>& opened_;
  std::size_t left_;
};

} // namespace

std::size_t estimate_json_value_count(std::string_view text) {
  std::size_t count = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      in_string = !in_string;
    else if (in_string)
      i += c == '\\' ? 1 : 0;
    else if (c == ',' || c == '{' || c == '[')
      ++count;
  }
  return count;
}

json make_text_value(std::string_view text) {
  return json::binary({text.begin(), text.end()});
}

std::string_view text_of_value(const json& value) {
  if (!value.is_binary())
    return {};
  const auto& bytes = value.get_binary();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

json parse_json_outline(std::string_view text,
                        const std::vector<json_path>& opened,
                        std::size_t most_values) {
  return outline_reader{opened, most_values}.read(text, {});
}

} // namespace troupe::k8s
