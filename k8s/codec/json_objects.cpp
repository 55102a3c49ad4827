#include "k8s/codec/json_objects.hpp"

#include <algorithm>

namespace troupe::k8s::json_text {

namespace {

std::map<std::string, std::string> string_map_at(dom::element e,
                                                 const char* key) {
  std::map<std::string, std::string> result;
  dom::object fields;
  if (e[key].get(fields))
    return result;
  for (auto [name, value] : fields)
    if (std::string_view text; !value.get(text))
      result.emplace(name, text);
  return result;
}

} // namespace

object_meta read_object_meta(dom::element e) {
  object_meta m;
  m.name = string_at(e, "name");
  m.ns = string_at(e, "namespace");
  m.uid = string_at(e, "uid");
  m.resource_version =
      parse_resource_version_or_zero(text_at(e, "resourceVersion"));
  m.generation = integer_at(e, "generation");
  if (auto t = time_at(e, "creationTimestamp"))
    m.created = *t;
  m.deleted = time_at(e, "deletionTimestamp");
  if (std::int64_t grace = 0; !e["deletionGracePeriodSeconds"].get(grace))
    m.deletion_grace_seconds = grace;
  m.labels = string_map_at(e, "labels");
  m.annotations = string_map_at(e, "annotations");
  for_each_item(e, "ownerReferences", [&](dom::element o) {
    owner_reference r;
    r.api_version = string_at(o, "apiVersion");
    r.kind = string_at(o, "kind");
    r.name = string_at(o, "name");
    r.uid = string_at(o, "uid");
    bool controller = false;
    if (!o["controller"].get(controller))
      r.controller = controller;
    m.owners.push_back(std::move(r));
  });
  return m;
}

namespace {

std::optional<container_status::ended_run> read_last_ended_run(dom::element e) {
  dom::element s;
  if (e.at_pointer("/lastState/terminated").get(s) || !s.is_object())
    return std::nullopt;
  return container_status::ended_run{
      int32_or_zero_at(s, "exitCode"), string_at(s, "reason"),
      time_at(s, "startedAt"), time_at(s, "finishedAt")};
}

container_status read_container_status(dom::element e) {
  using state_kind = container_status::state_kind;
  container_status c;
  c.name = string_at(e, "name");
  c.restarts = int32_or_zero_at(e, "restartCount");
  c.last = read_last_ended_run(e);
  dom::element state;
  if (e["state"].get(state))
    return c;
  dom::element s;
  if (!state["terminated"].get(s) && s.is_object()) {
    c.state = state_kind::terminated;
    c.exit_code = int32_or_zero_at(s, "exitCode");
    c.started = time_at(s, "startedAt");
    c.finished = time_at(s, "finishedAt");
  } else if (!state["waiting"].get(s) && s.is_object()) {
    c.state = state_kind::waiting;
  } else if (!state["running"].get(s) && s.is_object()) {
    c.state = state_kind::running;
    c.started = time_at(s, "startedAt");
    return c;
  } else {
    return c;
  }
  c.reason = string_at(s, "reason");
  c.message = string_at(s, "message");
  return c;
}

std::vector<declared_port> read_container_ports(dom::element spec) {
  std::vector<declared_port> ports;
  for_each_item(spec, "containers", [&](dom::element container) {
    for_each_item(container, "ports", [&](dom::element p) {
      ports.push_back({string_at(container, "name"), string_at(p, "name"),
                       int32_or_zero_at(p, "containerPort"),
                       string_at(p, "protocol")});
    });
  });
  return ports;
}

std::vector<std::string> read_sidecar_names(dom::element spec) {
  std::vector<std::string> names;
  for_each_item(spec, "initContainers", [&](dom::element c) {
    if (text_at(c, "restartPolicy") == "Always")
      names.push_back(string_at(c, "name"));
  });
  return names;
}

/// Of the spec of a pod.
std::string read_scheduling_group(dom::element spec) {
  dom::element group;
  return spec["schedulingGroup"].get(group) ? std::string{}
                                            : string_at(group, "podGroupName");
}

pod_state read_pod(dom::element e, object_detail keep) {
  pod_state p;
  std::vector<std::string> sidecars;
  dom::element part;
  if (!e["spec"].get(part)) {
    sidecars = read_sidecar_names(part);
    p.node = string_at(part, "nodeName");
    bool on_host_network = false;
    if (!part["hostNetwork"].get(on_host_network))
      p.on_host_network = on_host_network;
    p.scheduling_group = read_scheduling_group(part);
    if (keep == object_detail::pod_with_ports)
      p.ports = std::make_shared<const std::vector<declared_port>>(
          read_container_ports(part));
  }
  if (e["status"].get(part))
    return p;
  p.phase = parse_pod_phase(text_at(part, "phase"));
  for_each_item(part, "podIPs", [&](dom::element address) {
    add_pod_ip(p, string_at(address, "ip"), false);
  });
  add_pod_ip(p, string_at(part, "podIP"), true);
  p.reason = string_at(part, "reason");
  p.message = string_at(part, "message");
  p.started = time_at(part, "startTime");
  for_each_item(part, "containerStatuses", [&](dom::element c) {
    p.containers.push_back(read_container_status(c));
  });
  for_each_item(part, "initContainerStatuses", [&](dom::element c) {
    p.init_containers.push_back(read_container_status(c));
  });
  for_each_item(part, "conditions", [&](dom::element c) {
    pod_condition condition;
    condition.type = string_at(c, "type");
    condition.status = string_at(c, "status");
    condition.reason = string_at(c, "reason");
    condition.message = string_at(c, "message");
    if (auto t = time_at(c, "lastTransitionTime"))
      condition.last_transition = *t;
    p.conditions.push_back(std::move(condition));
  });
  mark_sidecars(p, sidecars);
  return p;
}

std::string json_text_or_null_at(dom::element e, const char* key) {
  dom::element part;
  if (e[key].get(part))
    return "null";
  return simdjson::minify(part);
}

/// The object without some of its fields.
std::string
json_without_fields(dom::element e,
                    std::initializer_list<std::string_view> left_out) {
  dom::object fields;
  if (e.get(fields))
    return "{}";
  std::string text = "{";
  for (auto field : fields) {
    if (std::find(left_out.begin(), left_out.end(), field.key)
        != left_out.end())
      continue;
    text += text.size() > 1 ? "," : "";
    append_quoted(text, field.key);
    text += ":" + std::string{simdjson::minify(field.value)};
  }
  return text + "}";
}

/// The object without some of its fields, and the values of a Secret.
std::string secret_json_without_values(dom::element e) {
  auto text = json_without_fields(
      e, {"apiVersion", "kind", "metadata", "data", "stringData"});
  dom::object data;
  if (e["data"].get(data))
    return text;
  text.back() = ',';
  if (text.size() == 2)
    text.pop_back();
  text += "\"data\":{";
  bool first = true;
  for (auto field : data) {
    text += first ? "" : ",";
    first = false;
    append_quoted(text, field.key);
    text += ":\"\"";
  }
  return text + "}}";
}

batch_job_state read_batch_job(dom::element e) {
  batch_job_state job;
  dom::element part;
  if (!e["spec"].get(part)) {
    if (part["suspend"].get(job.suspended))
      job.suspended = false;
    dom::element pod;
    if (!part["template"]["spec"].get(pod))
      job.scheduling_group = read_scheduling_group(pod);
  }
  if (e["status"].get(part))
    return job;
  job.started = time_at(part, "startTime");
  job.ended = time_at(part, "completionTime");
  job.failed_pods = int32_or_zero_at(part, "failed");
  for_each_item(part, "conditions", [&](dom::element c) {
    if (text_at(c, "status") != "True")
      return;
    auto type = text_at(c, "type");
    if (type == "Complete")
      job.complete = true;
    if (type != "Failed")
      return;
    job.failed = true;
    if (!job.ended) // A Job that has failed has no completion time.
      job.ended = time_at(c, "lastTransitionTime");
    job.failed_reason = string_at(c, "reason");
    job.failed_message = string_at(c, "message");
  });
  return job;
}

node_state read_node(dom::element e) {
  node_state node;
  dom::element part;
  if (!e["spec"].get(part))
    for_each_item(part, "taints", [&](dom::element taint) {
      node.taints.push_back(string_at(taint, "key"));
    });
  if (!e["status"].get(part))
    for_each_item(part, "conditions", [&](dom::element c) {
      if (text_at(c, "type") == "Ready")
        node.ready = string_at(c, "status");
    });
  return node;
}

std::string last_field_manager_of_spec(dom::element meta) {
  std::string manager;
  std::string_view latest;
  for_each_item(meta, "managedFields", [&](dom::element entry) {
    dom::element fields;
    if (entry["fieldsV1"]["f:spec"].get(fields))
      return;
    auto time = text_at(entry, "time");
    if (time < latest) // All in UTC, so they compare as texts.
      return;
    latest = time;
    manager = string_at(entry, "manager");
  });
  return manager;
}

} // namespace

result<object_ptr> read_object(dom::element e, object_detail keep) {
  dom::element meta;
  if (e["metadata"].get(meta) || !meta.is_object())
    return failure{ec::garbage, "an object without metadata"};
  auto o = std::make_shared<object>();
  o->meta = read_object_meta(meta);
  if (keep == object_detail::metadata || keep == object_detail::secret_names
      || keep == object_detail::batch_job || keep == object_detail::node)
    o->meta.annotations.clear();
  if (is_pod_detail(keep))
    o->state = read_pod(e, keep);
  else if (keep == object_detail::spec_and_status)
    o->state = spec_and_status_state{json_text_or_null_at(e, "spec"),
                                     json_text_or_null_at(e, "status"),
                                     last_field_manager_of_spec(meta)};
  else if (keep == object_detail::full && o->meta.controller())
    o->state =
        full_state{json_without_fields(e, {"apiVersion", "kind", "metadata"}),
                   json_without_fields(meta, {"managedFields"})};
  else if (keep == object_detail::secret_names && o->meta.controller())
    o->state =
        full_state{secret_json_without_values(e),
                   json_without_fields(meta, {"managedFields", "annotations"})};
  else if (keep == object_detail::batch_job)
    o->state = read_batch_job(e);
  else if (keep == object_detail::node)
    o->state = read_node(e);
  return object_ptr{std::move(o)};
}

} // namespace troupe::k8s::json_text
