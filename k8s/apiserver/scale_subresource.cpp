#include "k8s/apiserver/scale_subresource.hpp"

#include "k8s/apiserver/version_conversion.hpp"
#include "k8s/apiserver/writing.hpp"

namespace troupe::k8s::apiserver {

namespace {

/// ".spec.replicas" as a JSON pointer.
json::json_pointer json_pointer_of_dotted_path(std::string path) {
  for (char& c : path)
    if (c == '.')
      c = '/';
  return json::json_pointer(path);
}

json make_scale(const request_info& info, const stored_object& s) {
  auto at = [&](const char* key) {
    const auto& path = text_at(info.type->scale_paths, {key});
    auto p = json_pointer_of_dotted_path(path);
    return !path.empty() && s.value.contains(p) ? s.value[p] : json(nullptr);
  };
  auto number = [](const json& v) { return v.is_number() ? v : json(0); };
  json meta;
  for (auto key :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
    if (auto* v = find_value(s.value, {"metadata", key}))
      meta[key] = *v;
  json out{{"kind", "Scale"},
           {"apiVersion", "autoscaling/v1"},
           {"metadata", meta},
           {"spec", {{"replicas", number(at("specReplicasPath"))}}},
           {"status", {{"replicas", number(at("statusReplicasPath"))}}}};
  if (auto chosen = at("labelSelectorPath"); chosen.is_string())
    out["status"]["selector"] = chosen;
  return out;
}

} // namespace

status_or<write_result> read_or_update_scale(server_state& state,
                                             const request_info& info,
                                             const json& body) {
  auto s = state.objects.find(info.type->bucket, info.storage_key());
  if (!s)
    return info.not_found_error();
  auto served = in_served_version(*info.type, s);
  if (auto* error = error_in(served))
    return *error;
  s = std::get<stored_object_ptr>(std::move(served));
  write_result out;
  if (info.request->method == "GET") {
    out.body = make_scale(info, *s);
    return out;
  }
  auto merged = make_scale(info, *s);
  merged.merge_patch(body);
  json next = s->value;
  next[json_pointer_of_dotted_path(
      text_at(info.type->scale_paths, {"specReplicasPath"}))] =
      merged["spec"]["replicas"];
  const auto& version = text_at(merged, {"metadata", "resourceVersion"});
  if (!version.empty())
    next["metadata"]["resourceVersion"] = version;
  auto done = update_object(state, info, std::move(next));
  if (auto* error = error_in(done))
    return *error;
  auto now = in_served_version(*info.type, std::get<write_result>(done).object);
  if (auto* error = error_in(now))
    return *error;
  out.body = make_scale(info, *std::get<stored_object_ptr>(now));
  return out;
}

} // namespace troupe::k8s::apiserver
