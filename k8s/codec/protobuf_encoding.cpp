#include "k8s/codec/protobuf_encoding.hpp"

#include "k8s/codec/message_fields.hpp"
#include "k8s/objects.hpp"
#include "k8s/text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <protozero/pbf_writer.hpp>

namespace troupe::k8s {

namespace {

using protozero::pbf_writer;
using simdjson::dom::element;

// Each of these functions returns false if only JSON can express the value;
// what was written before is then discarded.

bool add_message(pbf_writer& out, const protobuf_message& type, element object);

bool add_text(pbf_writer& out, unsigned number, element value) {
  std::string_view text;
  if (value.get(text))
    return false;
  out.add_string(number, text.data(), text.size());
  return true;
}

/// Fields of 32 bits would be cut off by the server, without an error.
bool add_int32_number(pbf_writer& out, unsigned number, element value) {
  using limits = std::numeric_limits<std::int32_t>;
  std::int64_t n = 0;
  if (value.get(n) || n < limits::min() || n > limits::max())
    return false;
  out.add_int64(number, n);
  return true;
}

bool add_flag(pbf_writer& out, unsigned number, element value) {
  bool flag = false;
  if (value.get(flag))
    return false;
  out.add_bool(number, flag);
  return true;
}

/// Digits with at most one point, and a suffix of letters.
bool is_plain_quantity(std::string_view text) {
  auto suffix = text.find_first_not_of("0123456789.");
  auto digits = text.substr(0, suffix);
  return !digits.empty() && digits.front() != '.'
         && std::count(digits.begin(), digits.end(), '.') <= 1
         && (suffix == text.npos
             || is_one_of(text.substr(suffix),
                          {"n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki",
                           "Mi", "Gi", "Ti", "Pi", "Ei"}));
}

bool add_plain_quantity(pbf_writer& out, element value) {
  std::int64_t number = 0;
  std::string_view text;
  if (!value.get(number)) {
    out.add_string(1, std::to_string(number));
    return number >= 0;
  }
  if (value.get(text) || !is_plain_quantity(text))
    return false;
  out.add_string(1, text.data(), text.size());
  return true;
}

bool add_int_or_string(pbf_writer& out, element value) {
  bool is_text = value.is_string();
  out.add_int64(1, is_text ? 1 : 0);
  return is_text ? add_text(out, 3, value) : add_int32_number(out, 2, value);
}

bool add_time(pbf_writer& out, element value, bool with_micros) {
  std::string_view text;
  if (value.get(text))
    return false;
  auto time = from_rfc3339(text);
  if (!time || *time <= earliest_time || *time >= latest_time)
    return false;
  auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
  std::chrono::nanoseconds fraction = *time - seconds;
  out.add_int64(1, seconds.time_since_epoch().count());
  out.add_int32(2, static_cast<std::int32_t>(fraction.count()));
  return with_micros || fraction.count() == 0;
}

bool add_members_of_value(pbf_writer& out, std::string_view type,
                          element value) {
  if (type == "quantity")
    return add_plain_quantity(out, value);
  if (type == "int-or-string")
    return add_int_or_string(out, value);
  if (type == "time" || type == "micro-time")
    return add_time(out, value, type == "micro-time");
  const auto* message = find_message(type);
  return message && add_message(out, *message, value);
}

/// One value of the type, as the field `number`.
bool add_value(pbf_writer& out, unsigned number, std::string_view type,
               element value) {
  if (type == "text")
    return add_text(out, number, value);
  if (type == "number")
    return add_int32_number(out, number, value);
  if (type == "flag")
    return add_flag(out, number, value);
  // Not a nested pbf_writer: that omits empty messages, such as an emptyDir.
  std::string bytes;
  pbf_writer inner{bytes};
  if (!add_members_of_value(inner, type, value))
    return false;
  out.add_message(number, bytes);
  return true;
}

bool add_map(pbf_writer& out, const message_field& f, element value) {
  simdjson::dom::object entries;
  if (value.get(entries))
    return false;
  for (auto [key, entry] : entries) {
    pbf_writer inner{out, f.number};
    inner.add_string(1, key.data(), key.size());
    if (!add_value(inner, 2, f.type, entry))
      return false;
  }
  return true;
}

bool add_list(pbf_writer& out, const message_field& f, element value) {
  simdjson::dom::array items;
  if (value.get(items))
    return false;
  for (auto item : items)
    if (!add_value(out, f.number, f.type, item))
      return false;
  return true;
}

bool add_field_unless_null(pbf_writer& out, const message_field& f,
                           element value) {
  if (value.is_null())
    return true;
  if (f.is_map)
    return add_map(out, f, value);
  if (f.is_list)
    return add_list(out, f, value);
  return add_value(out, f.number, f.type, value);
}

const message_field* find_field(const protobuf_message& type,
                                std::string_view name) {
  auto i = std::find_if(type.fields.begin(), type.fields.end(),
                        [&](const auto& f) { return f.name == name; });
  return i == type.fields.end() || name == "-" ? nullptr : &*i;
}

/// Adds those members of a JSON object that are fields of the message, and
/// counts them.
bool add_known_members_and_count(pbf_writer& out, const protobuf_message& type,
                                 simdjson::dom::object members,
                                 std::size_t& count) {
  for (auto [name, value] : members) {
    const auto* f = find_field(type, name);
    if (!f)
      continue;
    ++count;
    if (!add_field_unless_null(out, *f, value))
      return false;
  }
  return true;
}

/// The same for the messages inside whose members are those of the message
/// itself (such as a volume's source).
bool add_inlined_members_and_count(pbf_writer& out,
                                   const protobuf_message& type,
                                   simdjson::dom::object members,
                                   std::size_t& count) {
  for (const auto& f : type.fields) {
    if (f.name != "-")
      continue;
    const auto* inlined = find_message(f.type);
    pbf_writer inner{out, f.number};
    if (!inlined
        || !add_known_members_and_count(inner, *inlined, members, count))
      return false;
  }
  return true;
}

/// `members_outside_message`: how many members are in no message.
bool add_object(pbf_writer& out, const protobuf_message& type,
                simdjson::dom::object members,
                std::size_t members_outside_message) {
  std::size_t count = members_outside_message;
  return add_known_members_and_count(out, type, members, count)
         && add_inlined_members_and_count(out, type, members, count)
         && count == members.size();
}

bool add_message(pbf_writer& out, const protobuf_message& type,
                 element object) {
  simdjson::dom::object members;
  return !object.get(members) && add_object(out, type, members, 0);
}

/// With the header that says what the object is.
bool add_object_with_envelope(std::string& out, simdjson::dom::object root) {
  std::string_view api_version, kind;
  if (root["apiVersion"].get(api_version) || root["kind"].get(kind))
    return false;
  const auto* type = find_message(kind);
  if (api_version != "v1" || !type || !is_object_message(kind))
    return false;
  out.assign("k8s\0", 4);
  pbf_writer unknown{out};
  {
    pbf_writer type_meta{unknown, 1};
    type_meta.add_string(1, api_version.data(), api_version.size());
    type_meta.add_string(2, kind.data(), kind.size());
  }
  pbf_writer raw{unknown, 2};
  constexpr std::size_t api_version_and_kind = 2;
  return add_object(raw, *type, root, api_version_and_kind);
}

} // namespace

std::optional<std::string> json_to_protobuf_if_certain(std::string_view text) {
  // It takes a dozen times its text: that for a large one is not kept.
  constexpr std::size_t most_kept = 256u << 10;
  simdjson::dom::parser for_large_text;
  thread_local simdjson::dom::parser kept;
  auto& parser = text.size() > most_kept ? for_large_text : kept;
  simdjson::dom::object root;
  std::string out;
  bool done = !text.empty() && !parser.parse(text.data(), text.size()).get(root)
              && add_object_with_envelope(out, root);
  return done ? std::optional{std::move(out)} : std::nullopt;
}

} // namespace troupe::k8s
