#include "k8s/apiserver/object_metadata.hpp"
#include "k8s/apiserver/server_state.hpp"

namespace troupe::k8s::apiserver {

// pods/binding, pods/log and scale.

namespace {

/// ".spec.x" as keys.
json::json_pointer pointer_of(std::string path) {
  for (char& c : path)
    if (c == '.')
      c = '/';
  return json::json_pointer(path);
}

json scale_of(const request_info& info, const stored_object& s) {
  auto at = [&](const char* key) {
    const auto& path = text_at(info.type->scale_paths, {key});
    auto p = pointer_of(path);
    return !path.empty() && s.value.contains(p) ? s.value[p] : json(nullptr);
  };
  auto number = [](const json& v) { return v.is_number() ? v : json(0); };
  json meta;
  for (auto key :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
    if (auto* v = look(s.value, {"metadata", key}))
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

/// The container a log request means, or why that is unclear.
status_or<std::string> container_of(const request_info& info, const json& pod) {
  auto asked = info.param("container");
  std::vector<std::string> names;
  for (auto list : {"containers", "initContainers"})
    if (auto* l = look(pod, {"spec", list}); l && l->is_array())
      for (const auto& i : *l)
        names.push_back(text_at(i, {"name"}));
  if (asked.empty()) {
    auto* own = look(pod, {"spec", "containers"});
    if (own && own->size() == 1)
      return names.front();
    std::string all;
    for (const auto& n : names)
      all += (all.empty() ? "" : " ") + n;
    return bad_request("a container name must be specified for pod " + info.name
                       + ", choose one of: [" + all + "]");
  }
  if (std::find(names.begin(), names.end(), asked) == names.end())
    return bad_request("container " + asked + " is not valid for pod "
                       + info.name);
  return asked;
}

status_error waiting(const request_info& info, const std::string& container,
                     const std::string& why) {
  return bad_request("container \"" + container + "\" in pod \"" + info.name
                     + "\" is waiting to start: " + why);
}

log_options log_wish(server_state& state, const request_info& info) {
  auto number = [&](const char* key) -> std::optional<std::int64_t> {
    auto text = info.param(key);
    if (text.empty())
      return std::nullopt;
    return std::strtoll(text.c_str(), nullptr, 10);
  };
  log_options out;
  out.follow = is_query_flag_set(*info.request, "follow");
  out.previous = is_query_flag_set(*info.request, "previous");
  out.timestamps = is_query_flag_set(*info.request, "timestamps");
  out.tail_lines = number("tailLines");
  out.limit_bytes = number("limitBytes");
  if (auto n = number("sinceSeconds"))
    out.since = std::chrono::seconds{*n};
  else if (auto at = from_rfc3339(info.param("sinceTime")))
    out.since =
        std::chrono::duration_cast<std::chrono::seconds>(state.now() - *at);
  return out;
}

} // namespace

status_or<write_result> scale(server_state& state, const request_info& info,
                              const json& body) {
  auto s = state.objects.find(info.type->bucket, info.storage_key());
  if (!s)
    return info.not_found_error();
  write_result out;
  if (info.request->method == "GET") {
    out.body = scale_of(info, *s);
    return out;
  }
  auto merged = scale_of(info, *s);
  merged.merge_patch(body);
  json next = s->value;
  next[pointer_of(text_at(info.type->scale_paths, {"specReplicasPath"}))] =
      merged["spec"]["replicas"];
  auto done = update(state, info, std::move(next));
  if (auto* error = error_in(done))
    return *error;
  out.body = scale_of(info, *std::get<write_result>(done).object);
  return out;
}

status_or<write_result> bind_pod(server_state& state, const request_info& info,
                                 const json& body) {
  auto s = state.objects.find("pods", info.storage_key());
  if (!s)
    return info.not_found_error();
  const auto& node = text_at(body, {"target", "name"});
  if (node.empty())
    return invalid("", "Binding", info.name, {required_value("target.name")});
  if (is_terminating(s->value))
    return conflict("", "pods/binding", info.name,
                    "pod " + info.name
                        + " is being deleted, cannot be assigned "
                          "to a host");
  const auto& bound = text_at(s->value, {"spec", "nodeName"});
  if (!bound.empty())
    return conflict("", "pods/binding", info.name,
                    "pod " + info.name + " is already assigned to node \""
                        + bound + "\"");
  json next = s->value;
  next["spec"]["nodeName"] = node;
  auto& conditions = section(next, "status")["conditions"];
  if (!conditions.is_array())
    conditions = json::array();
  conditions.push_back({{"type", "PodScheduled"},
                        {"status", "True"},
                        {"lastProbeTime", nullptr},
                        {"lastTransitionTime", state.timestamp()}});
  state.objects.put("pods", info.storage_key(), std::move(next));
  write_result out;
  out.status = 201;
  out.body = {{"kind", "Status"},
              {"apiVersion", "v1"},
              {"metadata", json::object()},
              {"status", "Success"},
              {"code", 201}};
  return out;
}

void read_log(server_state& state, const request_info& info,
              const http::exchange_ptr& x) {
  auto s = state.objects.find("pods", info.storage_key());
  if (!s)
    return x->reply(info.not_found_error().to_response());
  auto container = container_of(info, s->value);
  if (auto* error = error_in(container))
    return x->reply(error->to_response());
  const auto& name = std::get<std::string>(container);
  if (!state.pod_logs)
    return x->reply(waiting(info, name, "no node keeps logs").to_response());
  // Started by whatever comes first; the source calls one at a time.
  auto started = std::make_shared<bool>(false);
  auto begin = [x, started] {
    http::response head;
    head.content_type = "text/plain";
    if (!std::exchange(*started, true))
      x->start(std::move(head));
  };
  auto give_up = state.pod_logs->open(
      info.ns, info.name, name, log_wish(state, info),
      [x, begin](std::string piece) {
        begin();
        x->write(std::move(piece));
      },
      [x, begin, started, why = waiting(info, name, "")](result<nothing> how) {
        if (!how && !*started) {
          auto r = why;
          r.message += how.error().message;
          return x->reply(r.to_response());
        }
        begin();
        x->finish();
      });
  x->on_disconnect(std::move(give_up));
}

} // namespace troupe::k8s::apiserver
