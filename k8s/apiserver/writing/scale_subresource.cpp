#include "k8s/apiserver/writing/scale_subresource.hpp"

#include "k8s/apiserver/patch/patch.hpp"
#include "k8s/apiserver/resources/version_conversion.hpp"
#include "k8s/apiserver/writing/writing.hpp"

namespace troupe::k8s::apiserver {

namespace {

/// ".spec.replicas" as a JSON pointer.
json::json_pointer json_pointer_of_dotted_path(std::string path) {
  for (char& c : path)
    if (c == '.')
      c = '/';
  return json::json_pointer(path);
}

/// The label selector as text, where it is not that already.
std::string format_match_labels(const json& chosen) {
  if (chosen.is_string())
    return chosen.get<std::string>();
  auto* labels = find_value(chosen, {"matchLabels"});
  if (!labels)
    labels = &chosen;
  std::string out;
  if (labels->is_object())
    for (const auto& [key, value] : labels->items())
      if (value.is_string())
        out += (out.empty() ? "" : ",") + key + "=" + value.get<std::string>();
  return out;
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
           {"spec", {{"replicas", number(at("specReplicasPath"))}}},
           {"status", {{"replicas", number(at("statusReplicasPath"))}}}};
  if (auto chosen = format_match_labels(at("labelSelectorPath"));
      !chosen.empty())
    out["status"]["selector"] = chosen;
  return out;
}

bool has_replicas(const request_info& info, const json& object) {
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
  auto* replicas = find_value(scale, {"spec", "replicas"});
  if (replicas && !replicas->is_number_integer())
    return invalid(
        "autoscaling", "Scale", info.name,
        {{"spec.replicas", "FieldValueInvalid",
          "Invalid value: " + to_text(*replicas) + ": must be an integer"}});
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
    if (info.type->custom && !has_replicas(info, s->value()))
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
