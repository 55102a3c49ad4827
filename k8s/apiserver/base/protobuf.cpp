#include "k8s/apiserver/base/protobuf.hpp"

#include "k8s/bounded_time.hpp"
#include "k8s/codec/message_fields.hpp"
#include "k8s/general/base64.hpp"
#include "k8s/objects.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <optional>

namespace troupe::k8s::apiserver {

namespace {

/// One field as it lies on the wire.
struct wire_field {
  unsigned number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

std::optional<std::uint64_t> read_varint(std::string_view& in) {
  std::uint64_t out = 0;
  for (int shift = 0; shift < 64 && !in.empty(); shift += 7) {
    auto b = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    out |= std::uint64_t(b & 0x7f) << shift;
    if (!(b & 0x80))
      return out;
  }
  return std::nullopt;
}

std::optional<wire_field> read_wire_field(std::string_view& in) {
  wire_field out;
  auto tag = read_varint(in);
  auto value = tag ? read_varint(in) : std::nullopt;
  if (!value)
    return std::nullopt;
  out.number = static_cast<unsigned>(*tag >> 3);
  out.value = *value;
  if ((*tag & 7) == 0)
    return out;
  if ((*tag & 7) != 2 || *value > in.size())
    return std::nullopt;
  out.bytes = in.substr(0, *value);
  in.remove_prefix(*value);
  return out;
}

/// Reads all fields; false if the bytes are no message, or `use` says so.
template <class F>
bool for_each_field(std::string_view in, F use) {
  while (!in.empty()) {
    auto w = read_wire_field(in);
    if (!w || !use(*w))
      return false;
  }
  return true;
}

std::optional<json> decode_message(std::string_view in,
                                   std::string_view message);

/// nullopt: it is no time. Null: it is not set. A time after `latest_time` is
/// that, as wherever this program reads times.
std::optional<json> decode_time(std::string_view in, bool with_micros) {
  std::int64_t seconds = 0, nanos = 0;
  bool good = for_each_field(in, [&](const wire_field& w) {
    (w.number == 1 ? seconds : nanos) = static_cast<std::int64_t>(w.value);
    return w.number <= 2;
  });
  constexpr std::int64_t year_10000 = 253402300800;
  constexpr std::int64_t second = 1'000'000'000;
  if (!good || seconds < 0 || seconds >= year_10000 || nanos < 0
      || nanos >= second)
    return std::nullopt;
  if (in.empty())
    return json{};
  auto t = std::min(to_bounded_time(seconds)
                        + std::chrono::microseconds{nanos / 1000},
                    latest_time);
  return with_micros ? to_rfc3339_micro(t) : to_rfc3339(t);
}

std::optional<json> decode_int_or_string(std::string_view in) {
  bool is_text = false;
  json number = 0, text = "";
  bool good = for_each_field(in, [&](const wire_field& w) {
    if (w.number == 1)
      is_text = w.value == 1;
    else if (w.number == 2)
      number = static_cast<std::int64_t>(w.value);
    else
      text = std::string(w.bytes);
    return w.number <= 3;
  });
  return good ? std::optional<json>{is_text ? text : number} : std::nullopt;
}

/// The bytes of the only field of a message.
std::optional<std::string> decode_wrapped_bytes(std::string_view in) {
  std::string out;
  bool good = for_each_field(in, [&](const wire_field& w) {
    out = std::string(w.bytes);
    return w.number == 1;
  });
  return good ? std::optional<std::string>{out} : std::nullopt;
}

/// One value of a field. nullopt: it cannot be read. Null: it is not set.
std::optional<json> decode_value(const message_field& f, const wire_field& w) {
  if (f.type == "number") {
    auto number = static_cast<std::int64_t>(w.value);
    return number == 0 && f.zero_means_unset ? json{} : json(number);
  }
  if (f.type == "flag")
    return w.value == 0 && f.zero_means_unset ? json{} : json(w.value != 0);
  if (f.type == "bytes")
    return json(to_base64(w.bytes));
  if (f.type == "time" || f.type == "micro-time")
    return decode_time(w.bytes, f.type == "micro-time");
  if (f.type == "int-or-string")
    return decode_int_or_string(w.bytes);
  if (f.type == "quantity" || f.type == "raw") {
    auto text = decode_wrapped_bytes(w.bytes);
    if (!text)
      return std::nullopt;
    return f.type == "raw" ? parse_json_or_null(*text) : json(*text);
  }
  if (f.type != "text")
    return decode_message(w.bytes, f.type);
  // Writers send empty strings for what is not set.
  bool is_nothing = w.bytes.empty() && !f.is_list && !f.is_map;
  return is_nothing ? json{} : json(std::string(w.bytes));
}

bool decode_and_add_map_entry(json& out, const message_field& f,
                              std::string_view in) {
  std::string key;
  std::optional<json> value;
  bool good = for_each_field(in, [&](const wire_field& w) {
    if (w.number == 1)
      key = std::string(w.bytes);
    else
      value = decode_value(f, w);
    return w.number == 1 || (w.number == 2 && value);
  });
  if (good)
    out[key] = value ? std::move(*value) : json("");
  return good;
}

bool decode_and_add_field(json& out, const message_field& f,
                          const wire_field& w) {
  if (f.type == "ignored")
    return true;
  std::string name{f.name};
  if (f.is_map)
    return decode_and_add_map_entry(out[name], f, w.bytes);
  auto value = decode_value(f, w);
  if (!value)
    return false;
  if (f.name == "-")
    out.update(*value);
  else if (f.is_list)
    out[name].push_back(std::move(*value));
  else if (!value->is_null())
    out[name] = std::move(*value);
  return true;
}

std::optional<json> decode_message(std::string_view in,
                                   std::string_view message) {
  const auto* type = find_message(message);
  if (!type)
    return std::nullopt;
  const auto& fields = type->fields;
  json out = json::object();
  bool good = for_each_field(in, [&](const wire_field& w) {
    auto f = std::find_if(fields.begin(), fields.end(), [&](const auto& one) {
      return one.number == w.number;
    });
    return f != fields.end() && decode_and_add_field(out, *f, w);
  });
  return good ? std::optional<json>{std::move(out)} : std::nullopt;
}

bool has_only_utf8_text(const json& value) {
  if (value.is_string())
    return is_utf8(value.get_ref<const std::string&>());
  if (value.is_object())
    return std::all_of(
        value.items().begin(), value.items().end(), [](const auto& i) {
          return is_utf8(i.key()) && has_only_utf8_text(i.value());
        });
  return !value.is_array()
         || std::all_of(value.begin(), value.end(), has_only_utf8_text);
}

} // namespace

status_or<json> decode_protobuf(std::string_view body) {
  static constexpr std::string_view magic{"k8s\0", 4};
  auto unsupported = unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types "
      "include: application/json");
  if (body.substr(0, 4) != magic)
    return unsupported;
  std::string api_version, kind;
  std::string_view raw;
  auto read_type = [&](const wire_field& w) {
    (w.number == 1 ? api_version : kind) = std::string(w.bytes);
    return w.number <= 2;
  };
  bool good = for_each_field(body.substr(4), [&](const wire_field& w) {
    if (w.number == 1)
      return for_each_field(w.bytes, read_type);
    if (w.number == 2)
      raw = w.bytes;
    return true; // The others say how it is encoded, and are empty.
  });
  if (!good || kind.empty())
    return unsupported;
  auto object = decode_message(raw, message_name(api_version, kind));
  if (!object || !has_only_utf8_text(*object))
    return unsupported;
  (*object)["kind"] = kind;
  (*object)["apiVersion"] = api_version;
  return std::move(*object);
}

} // namespace troupe::k8s::apiserver
