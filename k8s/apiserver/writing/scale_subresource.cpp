#include "k8s/apiserver/writing/scale_subresource.hpp"

#include "k8s/apiserver/patch/patch.hpp"
#include "k8s/apiserver/resources/version_conversion.hpp"
#include "k8s/apiserver/writing/writing.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <map>

namespace troupe::k8s::apiserver {

namespace {

/// ".spec.replicas" as a JSON pointer.
json::json_pointer json_pointer_of_dotted_path(std::string path) {
  for (char& c : path)
    if (c == '.')
      c = '/';
  return json::json_pointer(path);
}

/// An entry of matchExpressions as text; "" if its operator is unknown.
std::string format_expression(const json& expression) {
  const auto& key = text_at(expression, {"key"});
  const auto& op = text_at(expression, {"operator"});
  if (op == "Exists")
    return key;
  if (op == "DoesNotExist")
    return "!" + key;
  if (op != "In" && op != "NotIn")
    return "";
  auto values = strings_at(expression, {"values"});
  std::sort(values.begin(), values.end());
  return key + (op == "In" ? " in (" : " notin (") + join(values, ",") + ")";
}

/// The label selector as text, in the order of its keys; that of a
/// ReplicationController is only a map of labels.
std::string format_label_selector(const json& chosen) {
  if (chosen.is_string())
    return chosen.get<std::string>();
  const auto& inner = value_at(chosen, {"matchLabels"});
  const auto& expressions = array_at(chosen, {"matchExpressions"});
  const auto& labels =
      inner.is_object() || !expressions.empty() ? inner : chosen;
  std::multimap<std::string, std::string> by_key;
  if (labels.is_object())
    for (const auto& [key, value] : labels.items())
      if (value.is_string())
        by_key.emplace(key, key + "=" + value.get<std::string>());
  for (const auto& e : expressions)
    if (auto text = format_expression(e); !text.empty())
      by_key.emplace(text_at(e, {"key"}), std::move(text));
  std::vector<std::string> out;
  for (const auto& [key, text] : by_key)
    out.push_back(text);
  return join(out, ",");
}

json make_scale(const request_info& info, const stored_object& s) {
  auto at = [&](const char* key) {
    const auto& path = text_at(info.type->scale_paths, {key});
    auto p = json_pointer_of_dotted_path(path);
    return !path.empty() && s.value().contains(p) ? s.value()[p]
                                                  : json(nullptr);
  };
  auto number = [](const json& v) { return v.is_number() ? v : json(0); };
  json meta;
  for (auto key :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
    if (auto* v = find_value(s.value(), {"metadata", key}))
      meta[key] = *v;
  json out{{"kind", "Scale"},
           {"apiVersion", "autoscaling/v1"},
           {"metadata", meta},
           {"spec", json::object()},
           {"status", {{"replicas", number(at("statusReplicasPath"))}}}};
  // Zero is absent in the spec, as kube-apiserver writes it.
  if (auto wanted = number(at("specReplicasPath")); wanted != 0)
    out["spec"]["replicas"] = std::move(wanted);
  if (auto chosen = format_label_selector(at("labelSelectorPath"));
      !chosen.empty())
    out["status"]["selector"] = chosen;
  return out;
}

bool has_replicas_field(const request_info& info, const json& object) {
  return object.contains(json_pointer_of_dotted_path(
      text_at(info.type->scale_paths, {"specReplicasPath"})));
}

status_error missing_replicas_error(const request_info& info) {
  auto why = "the spec replicas field \""
             + text_at(info.type->scale_paths, {"specReplicasPath"})
             + "\" does not exist";
  return {500,
          "InternalError",
          "Internal error occurred: " + why,
          {{"causes", json::array({{{"message", why}}})}}};
}

/// Whether the body of a PUT, or what a patch made, is a scale of this object.
std::optional<status_error> check_scale(const request_info& info,
                                        const json& scale) {
  if (const auto& kind = text_at(scale, {"kind"});
      !kind.empty() && kind != "Scale")
    return bad_request("the kind in the data (" + text_at(scale, {"kind"})
                       + ") does not match the expected kind (Scale)");
  const auto& name = text_at(scale, {"metadata", "name"});
  if (!name.empty() && name != info.name)
    return info.name_mismatch_error(name);
  const auto& replicas = value_at(scale, {"spec", "replicas"});
  if (!replicas.is_null() && !replicas.is_number_integer())
    return invalid(
        "autoscaling", "Scale", info.name,
        {{"spec.replicas", "FieldValueInvalid",
          "Invalid value: " + to_text(replicas) + ": must be an integer"}});
  return std::nullopt;
}

} // namespace

status_or<write_result> read_or_update_scale(server_state& state,
                                             const request_info& info,
                                             const json& body) {
  auto s = state.objects.find(info.type->bucket, info.storage_key());
  if (!s)
    return info.not_found_error();
  auto served = convert_custom_to_served_version(*info.type, s);
  if (!served)
    return served.error();
  s = std::move(*served);
  write_result out;
  if (info.request->method == "GET") {
    if (info.type->custom && !has_replicas_field(info, s->value()))
      return missing_replicas_error(info);
    out.body = make_scale(info, *s);
    return out;
  }
  auto merged = make_scale(info, *s);
  if (info.request->method == "PUT") {
    merged = body;
  } else {
    // What a strategic patch of a scale would do is the same.
    auto patched =
        apply_patch(merged, body, info.request->header("content-type"), true);
    if (!patched)
      return patched.error();
    merged = std::move(*patched);
  }
  if (auto error = check_scale(info, merged))
    return *error;
  json next = s->value();
  next[json_pointer_of_dotted_path(
      text_at(info.type->scale_paths, {"specReplicasPath"}))] =
      number_at(merged, {"spec", "replicas"});
  const auto& version = text_at(merged, {"metadata", "resourceVersion"});
  if (!version.empty())
    next["metadata"]["resourceVersion"] = version;
  auto done = update_object(state, info, std::move(next));
  if (!done)
    return done.error();
  auto now = convert_custom_to_served_version(*info.type, done->object);
  if (!now)
    return now.error();
  out.body = make_scale(info, **now);
  return out;
}

} // namespace troupe::k8s::apiserver
