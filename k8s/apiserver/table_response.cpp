#include "k8s/apiserver/table_response.hpp"

#include "k8s/apiserver/json_path.hpp"
#include "k8s/apiserver/object_metadata.hpp"
#include "k8s/text.hpp"

namespace troupe::k8s::apiserver {

namespace {

bool accepts(const http::request& r, const char* what) {
  auto i = r.headers.find("accept");
  return i != r.headers.end() && i->second.find(what) != std::string::npos;
}

/// What `kubectl get pods` shows under STATUS.
std::string pod_status(const json& pod) {
  if (is_terminating(pod))
    return text_at(pod, {"status", "reason"}) == "NodeLost" ? "Unknown"
                                                            : "Terminating";
  auto status = text_at(pod, {"status", "reason"});
  if (status.empty())
    status = text_at(pod, {"status", "phase"});
  const auto& phase = text_at(pod, {"status", "phase"});
  bool is_over = phase == "Succeeded" || phase == "Failed";
  auto* all = find_value(pod, {"status", "containerStatuses"});
  if (!all || !all->is_array())
    return status;
  bool running = false;
  for (const auto& c : *all) {
    const auto& waiting = text_at(c, {"state", "waiting", "reason"});
    const auto& ended = text_at(c, {"state", "terminated", "reason"});
    if (!waiting.empty() && is_over)
      continue; // It never began.
    if (!waiting.empty())
      status = waiting;
    else if (!ended.empty())
      status = ended;
    else if (auto* t = find_value(c, {"state", "terminated"}))
      status = "ExitCode:" + std::to_string(number_at(*t, {"exitCode"}));
    auto* ready = find_value(c, {"ready"});
    running |= ready && *ready == true && find_value(c, {"state", "running"});
  }
  return status == "Completed" && running ? "Running" : status;
}

std::string ready_containers_text(const json& pod) {
  auto* all = find_value(pod, {"status", "containerStatuses"});
  std::size_t ready = 0;
  if (all && all->is_array())
    for (const auto& c : *all)
      if (auto* r = find_value(c, {"ready"}))
        ready += *r == true;
  auto* wanted = find_value(pod, {"spec", "containers"});
  return std::to_string(ready) + "/"
         + std::to_string(wanted ? wanted->size() : 0);
}

std::int64_t pod_restarts(const json& pod) {
  std::int64_t n = 0;
  auto* all = find_value(pod, {"status", "containerStatuses"});
  if (all && all->is_array())
    for (const auto& c : *all)
      n += number_at(c, {"restartCount"});
  return n;
}

std::string service_ports(const json& service) {
  std::string out;
  auto* ports = find_value(service, {"spec", "ports"});
  if (ports && ports->is_array())
    for (const auto& p : *ports) {
      out += out.empty() ? "" : ",";
      out += std::to_string(number_at(p, {"port"})) + "/"
             + text_at(p, {"protocol"});
    }
  return out;
}

std::string service_selector(const json& service) {
  std::string out;
  auto* chosen = find_value(service, {"spec", "selector"});
  if (chosen && chosen->is_object())
    for (const auto& [k, v] : chosen->items())
      out += (out.empty() ? "" : ",") + k + "="
             + (v.is_string() ? v.get<std::string>() : "");
  return out;
}

std::string event_object(const json& event) {
  auto kind = text_at(event, {"involvedObject", "kind"});
  for (char& c : kind)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return kind + "/" + text_at(event, {"involvedObject", "name"});
}

std::string node_status(const json& node) {
  std::string status = "Unknown";
  auto* conditions = find_value(node, {"status", "conditions"});
  if (conditions && conditions->is_array())
    for (const auto& c : *conditions)
      if (text_at(c, {"type"}) == "Ready")
        status = text_at(c, {"status"}) == "True" ? "Ready" : "NotReady";
  auto* cordoned = find_value(node, {"spec", "unschedulable"});
  return cordoned && *cordoned == true ? status + ",SchedulingDisabled"
                                       : status;
}

std::string node_roles(const json& node) {
  const std::string prefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  auto* labels = find_value(node, {"metadata", "labels"});
  if (labels && labels->is_object())
    for (const auto& [key, value] : labels->items())
      if (key.compare(0, prefix.size(), prefix) == 0)
        roles.push_back(key.substr(prefix.size()));
  return roles.empty() ? "<none>" : join(roles, ",");
}

/// Columns that are computed; their paths begin with '!'.
json computed_cell(const std::string& which, const json& object) {
  if (which == "!status")
    return pod_status(object);
  if (which == "!ready")
    return ready_containers_text(object);
  if (which == "!object")
    return event_object(object);
  if (which == "!restarts")
    return pod_restarts(object);
  if (which == "!node_status")
    return node_status(object);
  if (which == "!node_roles")
    return node_roles(object);
  auto text =
      which == "!ports" ? service_ports(object) : service_selector(object);
  return text.empty() ? "<none>" : text;
}

json cell(const printer_column& c, const json& object, time_point now,
          bool builtin) {
  if (c.path[0] == '!')
    return computed_cell(c.path, object);
  auto values = evaluate_json_path(object, c.path);
  if (values.empty() || values[0]->is_null())
    return builtin ? json("<none>") : json(nullptr);
  const auto& v = *values[0];
  if (c.type == "date") {
    auto at = from_rfc3339(v.is_string() ? v.get<std::string>() : "");
    if (!at)
      return "<unknown>";
    return human_duration(
        std::chrono::duration_cast<std::chrono::seconds>(now - *at));
  }
  if (c.type == "string" && !v.is_string())
    return to_text(v);
  if (v == "" && builtin)
    return "<none>";
  return v;
}

json column_definition(const printer_column& c) {
  // Ages are formatted here, so to the client they are text.
  return {{"name", c.name},
          {"type", c.type == "date" ? "string" : c.type},
          {"format", c.format},
          {"description", c.description},
          {"priority", c.priority}};
}

} // namespace

bool accepts_table(const http::request& r) {
  return accepts(r, "as=Table");
}

bool accepts_metadata(const http::request& r) {
  return accepts(r, "as=PartialObjectMetadata");
}

json partial_object_metadata(const json& object) {
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", object["metadata"]}};
}

json make_table(const served_resource& type,
                const std::vector<stored_object_ptr>& items, const json& meta,
                time_point now, const std::string& include_object,
                bool with_columns) {
  json heads = json::array(), rows = json::array();
  for (const auto& c : type.columns)
    if (with_columns)
      heads.push_back(column_definition(c));
  for (const auto& s : items) {
    json cells = json::array();
    for (const auto& c : type.columns)
      cells.push_back(cell(c, s->value, now, !type.custom));
    json row{{"cells", std::move(cells)}};
    if (include_object == "Object")
      row["object"] = convert_to_served_version(type, s->value);
    else if (include_object != "None")
      row["object"] = partial_object_metadata(s->value);
    rows.push_back(std::move(row));
  }
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", meta},
          {"columnDefinitions", std::move(heads)},
          {"rows", std::move(rows)}};
}

std::vector<printer_column> pod_printer_columns() {
  return {{"Name", "string", ".metadata.name", 0, "name", {}},
          {"Ready", "string", "!ready", 0, {}, {}},
          {"Status", "string", "!status", 0, {}, {}},
          {"Restarts", "string", "!restarts", 0, {}, {}},
          {"Age", "date", ".metadata.creationTimestamp", 0, {}, {}},
          {"IP", "string", ".status.podIP", 1, {}, {}},
          {"Node", "string", ".spec.nodeName", 1, {}, {}},
          {"Nominated Node", "string", ".status.nominatedNodeName", 1, {}, {}},
          {"Readiness Gates", "string", ".spec.readinessGates", 1, {}, {}}};
}

} // namespace troupe::k8s::apiserver
