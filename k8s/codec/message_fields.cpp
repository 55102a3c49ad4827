#include "k8s/codec/message_fields.hpp"

#include "k8s/codec/message_table.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace troupe::k8s {

namespace {

/// Cuts off the next line, or the next word.
std::string_view take_until_and_drop_end(std::string_view& text, char end) {
  auto part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

void parse_list_type(message_field& f, std::string_view& type) {
  f.is_list = true;
  if (type.find('=') == type.npos)
    return;
  auto keys = take_until_and_drop_end(type, '=');
  f.merge = keys.empty() ? list_merge::set : list_merge::by_keys;
  while (!keys.empty())
    f.list_keys.push_back(take_until_and_drop_end(keys, ','));
}

message_field parse_message_field(std::string_view line) {
  message_field f;
  auto number = take_until_and_drop_end(line, ' ');
  std::from_chars(number.data(), number.data() + number.size(), f.number);
  f.name = take_until_and_drop_end(line, ' ');
  f.is_atomic = remove_prefix(line, "!");
  f.is_granular = remove_prefix(line, "~");
  f.is_map = remove_prefix(line, "map:");
  if (remove_prefix(line, "*"))
    parse_list_type(f, line);
  f.type = take_until_and_drop_end(line, '=');
  f.default_value = line;
  f.zero_means_unset = !f.type.empty() && f.type.back() == '?';
  f.type.remove_suffix(f.zero_means_unset ? 1 : 0);
  return f;
}

std::unordered_map<std::string_view, protobuf_message> parse_message_table() {
  std::unordered_map<std::string_view, protobuf_message> all;
  protobuf_message* current = nullptr;
  for (auto rest = message_table; !rest.empty();) {
    auto line = take_until_and_drop_end(rest, '\n');
    if (remove_prefix(line, "  ")) {
      current->fields.push_back(parse_message_field(line));
    } else {
      current = &all[take_until_and_drop_end(line, ' ')];
      current->is_atomic = line == "!";
    }
  }
  return all;
}

} // namespace

const protobuf_message* find_message(std::string_view name) {
  static const auto all = parse_message_table();
  auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

bool is_object_message(std::string_view message_name) {
  const auto* m = find_message(message_name);
  bool has_metadata =
      m && std::any_of(m->fields.begin(), m->fields.end(), [](const auto& f) {
        return f.name == "metadata";
      });
  return has_metadata
         && (message_name == "PodTemplate"
             || message_name.find("Template") == message_name.npos);
}

std::string message_name(const std::string& api_version,
                         const std::string& kind) {
  auto with_group = api_version.substr(0, api_version.find('.')) + "." + kind;
  return find_message(with_group) ? with_group : kind;
}

} // namespace troupe::k8s
