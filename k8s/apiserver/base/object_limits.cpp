#include "k8s/apiserver/base/object_limits.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

/// Of what is neither text, map nor list.
constexpr std::size_t plain_value_bytes = 4;

status_error too_large_error(std::string why) {
  return {413, "RequestEntityTooLarge",
          "Request entity too large: " + std::move(why)};
}

void add_child(json_extent& to, const json& child) {
  auto inner = measure_json(child);
  to.depth = std::max(to.depth, inner.depth + 1);
  to.bytes += inner.bytes + 1; // With a comma.
}

} // namespace

json_extent measure_json(const json& value) {
  if (value.is_string())
    return {0, value.get_ref<const std::string&>().size() + 2};
  if (!value.is_structured())
    return {0, plain_value_bytes};
  json_extent out{1, 2};
  if (value.is_array()) {
    for (const auto& item : value)
      add_child(out, item);
    return out;
  }
  for (const auto& [key, member] : value.items()) {
    out.bytes += key.size() + 3;
    add_child(out, member);
  }
  return out;
}

status_error too_deep_error() {
  return too_large_error("maps and lists in the object may lie in each other "
                         + std::to_string(most_object_depth) + " deep");
}

std::optional<status_error> check_object_limits(const json& object) {
  json_extent all{1, 2};
  bool is_too_deep = false;
  auto add = [&](const json& member, std::size_t level, std::size_t most) {
    auto extent = measure_json(member);
    all.bytes += extent.bytes;
    is_too_deep = is_too_deep || extent.depth + level > most;
  };
  for (auto i = object.begin(); i != object.end(); ++i) {
    bool is_metadata =
        object.is_object() && i->is_object() && i.key() == "metadata";
    if (!is_metadata) {
      add(*i, 1, most_object_depth);
      continue;
    }
    for (const auto& [key, member] : i->items())
      add(member, 2,
          key == "managedFields" ? most_managed_fields_depth
                                 : most_object_depth);
  }
  if (is_too_deep)
    return too_deep_error();
  if (all.bytes > most_object_bytes)
    return too_large_error("the object may have "
                           + std::to_string(most_object_bytes) + " bytes");
  return std::nullopt;
}

} // namespace troupe::k8s::apiserver
