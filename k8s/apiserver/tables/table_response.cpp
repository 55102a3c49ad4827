#include "k8s/apiserver/tables/table_response.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/tables/job_table_cells.hpp"
#include "k8s/apiserver/tables/json_path.hpp"
#include "k8s/apiserver/tables/pod_table_cells.hpp"
#include "k8s/text.hpp"

namespace troupe::k8s::apiserver {

namespace {

std::string service_ports_cell(const json& service) {
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

std::string service_selector_cell(const json& service) {
  std::string out;
  auto* chosen = find_value(service, {"spec", "selector"});
  if (chosen && chosen->is_object())
    for (const auto& [k, v] : chosen->items())
      out += (out.empty() ? "" : ",") + k + "="
             + (v.is_string() ? v.get<std::string>() : "");
  return out;
}

std::string event_object_cell(const json& event) {
  auto kind = text_at(event, {"involvedObject", "kind"});
  for (char& c : kind)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return kind + "/" + text_at(event, {"involvedObject", "name"});
}

std::string node_status_cell(const json& node) {
  std::string status = "Unknown";
  auto* conditions = find_value(node, {"status", "conditions"});
  if (conditions && conditions->is_array())
    for (const auto& c : *conditions)
      if (text_at(c, {"type"}) == "Ready")
        status = text_at(c, {"status"}) == "True" ? "Ready" : "NotReady";
  return bool_at(node, {"spec", "unschedulable"})
             ? status + ",SchedulingDisabled"
             : status;
}

std::string node_roles_cell(const json& node) {
  const std::string prefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  auto* labels = find_value(node, {"metadata", "labels"});
  if (labels && labels->is_object())
    for (const auto& [key, value] : labels->items())
      if (key.compare(0, prefix.size(), prefix) == 0)
        roles.push_back(key.substr(prefix.size()));
  return roles.empty() ? "<none>" : join(roles, ",");
}

/// How many members the object's maps and lists have.
std::size_t member_count(const json& object,
                         std::initializer_list<const char*> keys) {
  std::size_t out = 0;
  for (auto key : keys)
    if (auto* member = find_value(object, {key}))
      out += member->size();
  return out;
}

std::string event_source_cell(const json& event) {
  auto component = text_at(event, {"source", "component"});
  if (component.empty())
    component = text_at(event, {"reportingComponent"});
  auto host = text_at(event, {"source", "host"});
  if (host.empty())
    host = text_at(event, {"reportingInstance"});
  return host.empty() ? component : component + ", " + host;
}

std::string without_trailing_blanks(std::string text) {
  auto end = text.find_last_not_of(" \n\t");
  text.erase(end == text.npos ? 0 : end + 1);
  return text;
}

/// The first of these times that the event has.
std::string first_event_time(const json& event,
                             std::initializer_list<const char*> keys) {
  for (auto key : keys)
    if (const auto& text = text_at(event, {key}); !text.empty())
      return text;
  return {};
}

std::string age_cell(const std::string& time, time_point now) {
  auto at = from_rfc3339(time);
  if (!at)
    return "<unknown>";
  return human_duration(
      std::chrono::duration_cast<std::chrono::seconds>(now - *at));
}

json event_cell(const std::string& which, const json& event, time_point now) {
  if (which == "!event_object")
    return event_object_cell(event);
  if (which == "!event_subobject")
    return text_at(event, {"involvedObject", "fieldPath"});
  if (which == "!event_source")
    return event_source_cell(event);
  if (which == "!event_message")
    return without_trailing_blanks(text_at(event, {"message"}));
  if (which == "!event_count")
    return std::max<std::int64_t>(number_at(event, {"count"}), 1);
  if (which == "!event_first_seen")
    return age_cell(first_event_time(event, {"firstTimestamp", "eventTime"}),
                    now);
  return age_cell(
      first_event_time(event, {"lastTimestamp", "firstTimestamp", "eventTime"}),
      now);
}

/// Columns that are computed; their paths begin with '!'. `pod` is of a pod.
json computed_cell(const std::string& which, const json& object,
                   const pod_summary& pod, time_point now) {
  if (which == "!status")
    return pod.status;
  if (which == "!ready")
    return pod.ready;
  if (which == "!restarts")
    return pod.restarts;
  if (which.compare(0, 7, "!event_") == 0)
    return event_cell(which, object, now);
  if (which.compare(0, 5, "!job_") == 0)
    return job_table_cell(which, object, now);
  if (which == "!data")
    return member_count(object, {"data", "binaryData"});
  if (which == "!node_status")
    return node_status_cell(object);
  if (which == "!node_roles")
    return node_roles_cell(object);
  auto text = which == "!ports" ? service_ports_cell(object)
                                : service_selector_cell(object);
  return text.empty() ? "<none>" : text;
}

json column_cell(const printer_column& c, const json& object,
                 const pod_summary& pod, time_point now, bool is_builtin) {
  if (c.path[0] == '!')
    return computed_cell(c.path, object, pod, now);
  auto values = evaluate_json_path(object, c.path);
  if (values.empty() || values[0]->is_null())
    return is_builtin ? json("<none>") : json(nullptr);
  const auto& v = *values[0];
  if (c.type == "date")
    return age_cell(v.is_string() ? v.get<std::string>() : "", now);
  if (c.type == "string" && !v.is_string())
    return to_text(v);
  if (v == "" && is_builtin)
    return "<none>";
  return v;
}

json column_definition(const printer_column& c, bool is_custom) {
  // Ages are formatted here; those of built-in resources are said to be text.
  return {{"name", c.name},
          {"type", c.type == "date" && !is_custom ? "string" : c.type},
          {"format", c.format},
          {"description", c.description},
          {"priority", c.priority}};
}

json partial_object_metadata(const json& object) {
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", object["metadata"]}};
}

json make_row(const served_resource& type, const json& object, time_point now,
              const std::string& include_object) {
  bool is_pod = type.bucket == "pods";
  auto pod = is_pod ? summarize_pod(object, now) : pod_summary{};
  json cells = json::array();
  for (const auto& c : type.columns)
    cells.push_back(column_cell(c, object, pod, now, !type.custom));
  json row{{"cells", std::move(cells)}};
  if (is_pod)
    if (auto conditions = ended_pod_row_conditions_or_null(object);
        !conditions.is_null())
      row["conditions"] = std::move(conditions);
  if (include_object == "Object")
    row["object"] = convert_builtin_to_served_version(type, object);
  else if (include_object != "None")
    row["object"] = partial_object_metadata(object);
  return row;
}

} // namespace

json make_table(const served_resource& type,
                const std::vector<stored_object_ptr>& items, const json& meta,
                time_point now, const std::string& include_object,
                bool with_columns) {
  json heads = json::array(), rows = json::array();
  for (const auto& c : type.columns)
    if (with_columns)
      heads.push_back(column_definition(c, type.custom));
  for (const auto& s : items)
    rows.push_back(s->read_value([&](const json& object) {
      return make_row(type, object, now, include_object);
    }));
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", meta},
          {"columnDefinitions", std::move(heads)},
          {"rows", std::move(rows)}};
}

std::string encode_partial_object_metadata(const stored_object& object) {
  std::string out =
      R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata",)"
      R"("metadata":)";
  object.append_member_text_to(out, "metadata");
  return out += '}';
}

} // namespace troupe::k8s::apiserver
