#include "k8s/apiserver/protobuf.hpp"

#include "k8s/base64.hpp"

#include <optional>

namespace troupe::k8s::apiserver {

namespace {

enum class form : std::uint8_t {
  text,
  texts, ///< Repeated.
  number,
  flag,
  message,
  messages, ///< Repeated.
  text_map,
  byte_map, ///< Values become base64.
  ignored,  ///< Times, which the server writes itself, and statuses.
};

struct field {
  const char* message;
  unsigned number;
  const char* name;
  form how;
  const char* inner = nullptr;
};

constexpr field meta_fields[] = {
    {"ObjectMeta", 1, "name", form::text},
    {"ObjectMeta", 2, "generateName", form::text},
    {"ObjectMeta", 3, "namespace", form::text},
    {"ObjectMeta", 4, "selfLink", form::ignored},
    {"ObjectMeta", 5, "uid", form::text},
    {"ObjectMeta", 6, "resourceVersion", form::text},
    {"ObjectMeta", 7, "generation", form::number},
    {"ObjectMeta", 8, "creationTimestamp", form::ignored},
    {"ObjectMeta", 11, "labels", form::text_map},
    {"ObjectMeta", 12, "annotations", form::text_map},
    {"ObjectMeta", 13, "ownerReferences", form::messages, "OwnerReference"},
    {"ObjectMeta", 14, "finalizers", form::texts},
    {"ObjectMeta", 17, "managedFields", form::ignored},
    {"OwnerReference", 1, "kind", form::text},
    {"OwnerReference", 3, "name", form::text},
    {"OwnerReference", 4, "uid", form::text},
    {"OwnerReference", 5, "apiVersion", form::text},
    {"OwnerReference", 6, "controller", form::flag},
    {"OwnerReference", 7, "blockOwnerDeletion", form::flag},
    {"Namespace", 1, "metadata", form::message, "ObjectMeta"},
    {"Namespace", 2, "spec", form::ignored},
    {"Namespace", 3, "status", form::ignored},
    {"ConfigMap", 1, "metadata", form::message, "ObjectMeta"},
    {"ConfigMap", 2, "data", form::text_map},
    {"ConfigMap", 3, "binaryData", form::byte_map},
    {"ConfigMap", 4, "immutable", form::flag},
    {"Secret", 1, "metadata", form::message, "ObjectMeta"},
    {"Secret", 2, "data", form::byte_map},
    {"Secret", 3, "type", form::text},
    {"Secret", 4, "stringData", form::text_map},
    {"Secret", 5, "immutable", form::flag},
    {"ServiceAccount", 1, "metadata", form::message, "ObjectMeta"},
    {"PriorityClass", 1, "metadata", form::message, "ObjectMeta"},
    {"PriorityClass", 2, "value", form::number},
    {"PriorityClass", 3, "globalDefault", form::flag},
    {"PriorityClass", 4, "description", form::text},
    {"PriorityClass", 5, "preemptionPolicy", form::text},
    {"DeleteOptions", 1, "gracePeriodSeconds", form::number},
    {"DeleteOptions", 2, "preconditions", form::message, "Preconditions"},
    {"DeleteOptions", 3, "orphanDependents", form::flag},
    {"DeleteOptions", 4, "propagationPolicy", form::text},
    {"DeleteOptions", 5, "dryRun", form::texts},
    {"Preconditions", 1, "uid", form::text},
    {"Preconditions", 2, "resourceVersion", form::text},
    {"Unknown", 1, "typeMeta", form::message, "TypeMeta"},
    {"Unknown", 2, "raw", form::text},
    {"Unknown", 3, "contentEncoding", form::ignored},
    {"Unknown", 4, "contentType", form::ignored},
    {"TypeMeta", 1, "apiVersion", form::text},
    {"TypeMeta", 2, "kind", form::text},
    {"Entry", 1, "key", form::text},
    {"Entry", 2, "value", form::text},
};

/// One field as it lies on the wire.
struct wire {
  unsigned number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

std::optional<std::uint64_t> varint(std::string_view& in) {
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

std::optional<wire> next(std::string_view& in) {
  wire out;
  auto tag = varint(in);
  auto value = tag ? varint(in) : std::nullopt;
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

std::optional<json> read(std::string_view in, std::string_view message);

bool put(json& out, const field& f, const wire& w) {
  json inner;
  if (f.how == form::message || f.how == form::messages) {
    auto m = read(w.bytes, f.inner);
    if (!m)
      return false;
    inner = std::move(*m);
  } else if (f.how == form::text_map || f.how == form::byte_map) {
    auto m = read(w.bytes, "Entry");
    if (!m)
      return false;
    auto value = text_at(*m, {"value"});
    out[f.name][text_at(*m, {"key"})] =
        f.how == form::byte_map ? to_base64(value) : value;
    return true;
  } else if (f.how == form::ignored) {
    return true;
  } else if (f.how == form::number) {
    inner = static_cast<std::int64_t>(w.value);
  } else if (f.how == form::flag) {
    inner = w.value != 0;
  } else {
    inner = std::string(w.bytes);
  }
  // Writers send empty strings for what is not set.
  if (f.how == form::text && w.bytes.empty())
    return true;
  if (f.how == form::texts || f.how == form::messages)
    out[f.name].push_back(std::move(inner));
  else
    out[f.name] = std::move(inner);
  return true;
}

std::optional<json> read(std::string_view in, std::string_view message) {
  json out = json::object();
  while (!in.empty()) {
    auto w = next(in);
    if (!w)
      return std::nullopt;
    const field* known = nullptr;
    for (const auto& f : meta_fields)
      if (f.message == message && f.number == w->number)
        known = &f;
    if (!known || !put(out, *known, *w))
      return std::nullopt;
  }
  return out;
}

bool is_utf8(const json& o) {
  return parse_json(to_text(o)).operator bool();
}

} // namespace

status_or<json> parse_protobuf(std::string_view body) {
  static constexpr std::string_view magic{"k8s\0", 4};
  auto error = unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types "
      "include: application/json");
  if (body.substr(0, 4) != magic)
    return error;
  auto envelope = read(body.substr(4), "Unknown");
  if (!envelope)
    return error;
  const auto& kind = text_at(*envelope, {"typeMeta", "kind"});
  auto object = read(text_at(*envelope, {"raw"}), kind);
  if (!object || kind.empty() || !is_utf8(*object))
    return error;
  (*object)["kind"] = kind;
  (*object)["apiVersion"] = text_at(*envelope, {"typeMeta", "apiVersion"});
  return std::move(*object);
}

} // namespace troupe::k8s::apiserver
