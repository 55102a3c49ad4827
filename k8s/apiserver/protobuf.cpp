#include "k8s/apiserver/protobuf.hpp"

#include "k8s/base64.hpp"

#include <optional>

namespace troupe::k8s::apiserver {

namespace {

enum class field_kind : std::uint8_t {
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
  field_kind kind;
  const char* inner = nullptr;
};

constexpr field known_fields[] = {
    {"ObjectMeta", 1, "name", field_kind::text},
    {"ObjectMeta", 2, "generateName", field_kind::text},
    {"ObjectMeta", 3, "namespace", field_kind::text},
    {"ObjectMeta", 4, "selfLink", field_kind::ignored},
    {"ObjectMeta", 5, "uid", field_kind::text},
    {"ObjectMeta", 6, "resourceVersion", field_kind::text},
    {"ObjectMeta", 7, "generation", field_kind::number},
    {"ObjectMeta", 8, "creationTimestamp", field_kind::ignored},
    {"ObjectMeta", 11, "labels", field_kind::text_map},
    {"ObjectMeta", 12, "annotations", field_kind::text_map},
    {"ObjectMeta", 13, "ownerReferences", field_kind::messages,
     "OwnerReference"},
    {"ObjectMeta", 14, "finalizers", field_kind::texts},
    {"ObjectMeta", 17, "managedFields", field_kind::ignored},
    {"OwnerReference", 1, "kind", field_kind::text},
    {"OwnerReference", 3, "name", field_kind::text},
    {"OwnerReference", 4, "uid", field_kind::text},
    {"OwnerReference", 5, "apiVersion", field_kind::text},
    {"OwnerReference", 6, "controller", field_kind::flag},
    {"OwnerReference", 7, "blockOwnerDeletion", field_kind::flag},
    {"Namespace", 1, "metadata", field_kind::message, "ObjectMeta"},
    {"Namespace", 2, "spec", field_kind::ignored},
    {"Namespace", 3, "status", field_kind::ignored},
    {"ConfigMap", 1, "metadata", field_kind::message, "ObjectMeta"},
    {"ConfigMap", 2, "data", field_kind::text_map},
    {"ConfigMap", 3, "binaryData", field_kind::byte_map},
    {"ConfigMap", 4, "immutable", field_kind::flag},
    {"Secret", 1, "metadata", field_kind::message, "ObjectMeta"},
    {"Secret", 2, "data", field_kind::byte_map},
    {"Secret", 3, "type", field_kind::text},
    {"Secret", 4, "stringData", field_kind::text_map},
    {"Secret", 5, "immutable", field_kind::flag},
    {"ServiceAccount", 1, "metadata", field_kind::message, "ObjectMeta"},
    {"PriorityClass", 1, "metadata", field_kind::message, "ObjectMeta"},
    {"PriorityClass", 2, "value", field_kind::number},
    {"PriorityClass", 3, "globalDefault", field_kind::flag},
    {"PriorityClass", 4, "description", field_kind::text},
    {"PriorityClass", 5, "preemptionPolicy", field_kind::text},
    {"SelfSubjectReview", 1, "metadata", field_kind::message, "ObjectMeta"},
    {"SelfSubjectReview", 2, "status", field_kind::ignored},
    {"SelfSubjectAccessReview", 1, "metadata", field_kind::message,
     "ObjectMeta"},
    {"SelfSubjectAccessReview", 2, "spec", field_kind::message,
     "SelfSubjectAccessReviewSpec"},
    {"SelfSubjectAccessReview", 3, "status", field_kind::ignored},
    {"SelfSubjectAccessReviewSpec", 1, "resourceAttributes",
     field_kind::message, "ResourceAttributes"},
    {"SelfSubjectAccessReviewSpec", 2, "nonResourceAttributes",
     field_kind::message, "NonResourceAttributes"},
    {"ResourceAttributes", 1, "namespace", field_kind::text},
    {"ResourceAttributes", 2, "verb", field_kind::text},
    {"ResourceAttributes", 3, "group", field_kind::text},
    {"ResourceAttributes", 4, "version", field_kind::text},
    {"ResourceAttributes", 5, "resource", field_kind::text},
    {"ResourceAttributes", 6, "subresource", field_kind::text},
    {"ResourceAttributes", 7, "name", field_kind::text},
    {"NonResourceAttributes", 1, "path", field_kind::text},
    {"NonResourceAttributes", 2, "verb", field_kind::text},
    {"SelfSubjectRulesReview", 1, "metadata", field_kind::message,
     "ObjectMeta"},
    {"SelfSubjectRulesReview", 2, "spec", field_kind::message,
     "SelfSubjectRulesReviewSpec"},
    {"SelfSubjectRulesReview", 3, "status", field_kind::ignored},
    {"SelfSubjectRulesReviewSpec", 1, "namespace", field_kind::text},
    {"DeleteOptions", 1, "gracePeriodSeconds", field_kind::number},
    {"DeleteOptions", 2, "preconditions", field_kind::message, "Preconditions"},
    {"DeleteOptions", 3, "orphanDependents", field_kind::flag},
    {"DeleteOptions", 4, "propagationPolicy", field_kind::text},
    {"DeleteOptions", 5, "dryRun", field_kind::texts},
    {"Preconditions", 1, "uid", field_kind::text},
    {"Preconditions", 2, "resourceVersion", field_kind::text},
    {"Unknown", 1, "typeMeta", field_kind::message, "TypeMeta"},
    {"Unknown", 2, "raw", field_kind::text},
    {"Unknown", 3, "contentEncoding", field_kind::ignored},
    {"Unknown", 4, "contentType", field_kind::ignored},
    {"TypeMeta", 1, "apiVersion", field_kind::text},
    {"TypeMeta", 2, "kind", field_kind::text},
    {"Entry", 1, "key", field_kind::text},
    {"Entry", 2, "value", field_kind::text},
};

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

std::optional<wire_field> read_field(std::string_view& in) {
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

std::optional<json> decode_message_to_json(std::string_view in,
                                           std::string_view message);

bool add_field_as_json(json& out, const field& f, const wire_field& w) {
  json inner;
  if (f.kind == field_kind::message || f.kind == field_kind::messages) {
    auto m = decode_message_to_json(w.bytes, f.inner);
    if (!m)
      return false;
    inner = std::move(*m);
  } else if (f.kind == field_kind::text_map || f.kind == field_kind::byte_map) {
    auto m = decode_message_to_json(w.bytes, "Entry");
    if (!m)
      return false;
    auto value = text_at(*m, {"value"});
    out[f.name][text_at(*m, {"key"})] =
        f.kind == field_kind::byte_map ? to_base64(value) : value;
    return true;
  } else if (f.kind == field_kind::ignored) {
    return true;
  } else if (f.kind == field_kind::number) {
    inner = static_cast<std::int64_t>(w.value);
  } else if (f.kind == field_kind::flag) {
    inner = w.value != 0;
  } else {
    inner = std::string(w.bytes);
  }
  // Writers send empty strings for what is not set.
  if (f.kind == field_kind::text && w.bytes.empty())
    return true;
  if (f.kind == field_kind::texts || f.kind == field_kind::messages)
    out[f.name].push_back(std::move(inner));
  else
    out[f.name] = std::move(inner);
  return true;
}

std::optional<json> decode_message_to_json(std::string_view in,
                                           std::string_view message) {
  json out = json::object();
  while (!in.empty()) {
    auto w = read_field(in);
    if (!w)
      return std::nullopt;
    const field* known = nullptr;
    for (const auto& f : known_fields)
      if (f.message == message && f.number == w->number)
        known = &f;
    if (!known || !add_field_as_json(out, *known, *w))
      return std::nullopt;
  }
  return out;
}

bool is_utf8(const json& o) {
  try {
    o.dump(); // Unlike to_text, replaces nothing.
    return true;
  } catch (const json::type_error&) {
    return false;
  }
}

} // namespace

status_or<json> decode_protobuf(std::string_view body) {
  static constexpr std::string_view magic{"k8s\0", 4};
  auto unsupported = unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types "
      "include: application/json");
  if (body.substr(0, 4) != magic)
    return unsupported;
  auto envelope = decode_message_to_json(body.substr(4), "Unknown");
  if (!envelope)
    return unsupported;
  const auto& kind = text_at(*envelope, {"typeMeta", "kind"});
  auto object = decode_message_to_json(text_at(*envelope, {"raw"}), kind);
  if (!object || kind.empty() || !is_utf8(*object))
    return unsupported;
  (*object)["kind"] = kind;
  (*object)["apiVersion"] = text_at(*envelope, {"typeMeta", "apiVersion"});
  return std::move(*object);
}

} // namespace troupe::k8s::apiserver
