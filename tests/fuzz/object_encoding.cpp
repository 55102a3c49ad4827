#include "tests/fuzz/object_encoding.hpp"

namespace troupe::fuzz {

namespace {

using k8s::json;
using state_kind = k8s::container_status::state_kind;

void put_text(json& into, const char* key, const std::string& text) {
  if (!text.empty())
    into[key] = text;
}

void put_time(json& into, const char* key,
              const std::optional<k8s::time_point>& t) {
  if (t)
    into[key] = k8s::to_rfc3339(*t);
}

/// The codec reads an absent time as the epoch here.
void put_time_or_epoch(json& into, const char* key, k8s::time_point t) {
  if (std::chrono::floor<std::chrono::seconds>(t) != k8s::time_point{})
    into[key] = k8s::to_rfc3339(t);
}

json encode(const k8s::object_meta& m) {
  auto out = json::object();
  put_text(out, "name", m.name);
  put_text(out, "namespace", m.ns);
  put_text(out, "uid", m.uid);
  out["resourceVersion"] = std::to_string(m.resource_version);
  out["generation"] = m.generation;
  put_time_or_epoch(out, "creationTimestamp", m.created);
  put_time(out, "deletionTimestamp", m.deleted);
  out["labels"] = m.labels;
  out["annotations"] = m.annotations;
  for (const auto& r : m.owners)
    out["ownerReferences"].push_back({{"apiVersion", r.api_version},
                                      {"kind", r.kind},
                                      {"name", r.name},
                                      {"uid", r.uid},
                                      {"controller", r.controller}});
  return out;
}

json encode(const k8s::container_status& c) {
  json out{{"name", c.name}, {"restartCount", c.restarts}};
  auto state = json::object();
  put_text(state, "reason", c.reason);
  put_text(state, "message", c.message);
  switch (c.state) {
  case state_kind::none:
    break;
  case state_kind::waiting:
    out["state"]["waiting"] = state;
    break;
  case state_kind::running:
    put_time(state, "startedAt", c.started);
    out["state"]["running"] = state;
    break;
  case state_kind::terminated:
    state["exitCode"] = c.exit_code;
    put_time(state, "startedAt", c.started);
    put_time(state, "finishedAt", c.finished);
    out["state"]["terminated"] = state;
    break;
  }
  if (c.last) {
    auto& last = out["lastState"]["terminated"];
    last["exitCode"] = c.last->exit_code;
    put_text(last, "reason", c.last->reason);
    put_time(last, "startedAt", c.last->started);
    put_time(last, "finishedAt", c.last->finished);
  }
  return out;
}

json encode(const k8s::pod_condition& c) {
  json out{{"type", c.type},
           {"status", c.status},
           {"reason", c.reason},
           {"message", c.message}};
  put_time_or_epoch(out, "lastTransitionTime", c.last_transition);
  return out;
}

template <class T>
json encode(const std::vector<T>& all) {
  auto out = json::array();
  for (const auto& one : all)
    out.push_back(encode(one));
  return out;
}

json encode_status(const k8s::pod_state& p) {
  json out{{"phase", to_string(p.phase)},
           {"containerStatuses", encode(p.containers)},
           {"initContainerStatuses", encode(p.init_containers)},
           {"conditions", encode(p.conditions)}};
  put_text(out, "reason", p.reason);
  put_text(out, "message", p.message);
  put_time(out, "startTime", p.started);
  for (const auto& ip : p.ips)
    out["podIPs"].push_back({{"ip", ip}});
  return out;
}

/// A container for each port: they are read in the order in which they come.
/// Null if there was no spec.
json encode_spec(const k8s::pod_state& p) {
  json out;
  put_text(out, "nodeName", p.node);
  if (p.on_host_network)
    out["hostNetwork"] = true;
  if (p.scheduling_group && !p.scheduling_group->empty())
    out["schedulingGroup"]["podGroupName"] = *p.scheduling_group;
  for (const auto& c : p.init_containers)
    if (c.is_sidecar)
      out["initContainers"].push_back(
          {{"name", c.name}, {"restartPolicy", "Always"}});
  if (!p.ports)
    return out;
  auto& containers = out["containers"] = json::array();
  for (const auto& port : *p.ports)
    containers.push_back({{"name", port.container},
                          {"ports",
                           {{{"name", port.name},
                             {"containerPort", port.number},
                             {"protocol", port.protocol}}}}});
  return out;
}

} // namespace

json to_json(const k8s::object& o) {
  json out{{"metadata", encode(o.meta)}};
  if (const auto* pod = std::get_if<k8s::pod_state>(&o.state)) {
    out["status"] = encode_status(*pod);
    if (auto spec = encode_spec(*pod); !spec.is_null())
      out["spec"] = std::move(spec);
  }
  return out;
}

std::string to_json_text(const k8s::object& o) {
  if (const auto* raw = std::get_if<k8s::spec_and_status_state>(&o.state))
    return "{\"metadata\":" + k8s::to_text(encode(o.meta))
           + ",\"spec\":" + raw->spec + ",\"status\":" + raw->status + "}";
  if (const auto* whole = std::get_if<k8s::full_state>(&o.state))
    return "{\"metadata\":" + whole->metadata
           + (whole->text == "{}" ? "}" : "," + whole->text.substr(1));
  return k8s::to_text(to_json(o));
}

json all_of(const k8s::object& o) {
  json out{{"object", to_json(o)}, {"state", o.state.index()}};
  if (const auto* raw = std::get_if<k8s::spec_and_status_state>(&o.state)) {
    out["spec"] = raw->spec;
    out["status"] = raw->status;
  } else if (const auto* whole = std::get_if<k8s::full_state>(&o.state)) {
    out["text"] = whole->text;
    out["metadata"] = whole->metadata;
  }
  return out;
}

json to_json(const k8s::watch_event& e) {
  json out{{"type", e.type},
           {"resourceVersion", e.resource_version},
           {"code", e.code},
           {"message", e.message}};
  if (e.item)
    out["item"] = all_of(*e.item);
  return out;
}

} // namespace troupe::fuzz
