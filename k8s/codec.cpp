#include "k8s/codec.hpp"

#include "k8s/codec_parts.hpp"
#include "k8s/json.hpp"
#include "k8s/protobuf_codec.hpp"

#include <simdjson.h>

namespace troupe::k8s {

namespace {

namespace dom = simdjson::dom;

/// One parser and one padded buffer per thread, both reused.
struct json_reader {
  /// A parser takes a dozen times its text: after a long list, the next short
  /// event gives that back.
  static constexpr std::size_t worth_giving_back = 1u << 20;

  std::unique_ptr<dom::parser> parser = std::make_unique<dom::parser>();
  std::string buffer;

  result<dom::element> parse(std::string_view text) {
    if (buffer.capacity() > worth_giving_back
        && text.size() < buffer.capacity() / 16) {
      parser = std::make_unique<dom::parser>();
      std::string{}.swap(buffer);
    }
    buffer.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    buffer.assign(text);
    dom::element root;
    auto error = parser->parse(buffer.data(), buffer.size(), false).get(root);
    // Integers beyond 64 bits: a server writes large floating-point numbers so.
    if (error == simdjson::NUMBER_ERROR)
      if (auto rounded = parse_json(text))
        return parse(to_text(*rounded));
    if (error)
      return failure{ec::garbage, std::string{"not JSON: "}
                                      + simdjson::error_message(error)
                                      + " in \"" + excerpt(text) + "\""};
    return root;
  }
};

json_reader& parser_of_this_thread() {
  thread_local json_reader r;
  return r;
}

// What is absent or of another type reads as empty.

std::string_view text_at(dom::element e, const char* key) {
  std::string_view value;
  if (e[key].get(value))
    return {};
  return value;
}

std::string string_at(dom::element e, const char* key) {
  return std::string{text_at(e, key)};
}

std::int64_t integer_at(dom::element e, const char* key) {
  std::int64_t value = 0;
  if (e[key].get(value))
    return 0;
  return value;
}

std::int32_t int32_or_zero_at(dom::element e, const char* key) {
  return int32_or_zero(integer_at(e, key));
}

std::optional<time_point> time_at(dom::element e, const char* key) {
  auto text = text_at(e, key);
  return text.empty() ? std::nullopt : from_rfc3339(text);
}

template <class F>
void for_each_item(dom::element e, const char* key, F f) {
  dom::array items;
  if (!e[key].get(items))
    for (auto item : items)
      f(item);
}

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

object_meta read_json_object_meta(dom::element e) {
  object_meta m;
  m.name = string_at(e, "name");
  m.ns = string_at(e, "namespace");
  m.uid = string_at(e, "uid");
  m.resource_version = parse_resource_version(text_at(e, "resourceVersion"));
  m.generation = integer_at(e, "generation");
  if (auto t = time_at(e, "creationTimestamp"))
    m.created = *t;
  m.deleted = time_at(e, "deletionTimestamp");
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

container_status read_container_status(dom::element e) {
  using state_kind = container_status::state_kind;
  container_status c;
  c.name = string_at(e, "name");
  c.restarts = int32_or_zero_at(e, "restartCount");
  dom::element state;
  if (e["state"].get(state))
    return c;
  dom::element s;
  if (!state["terminated"].get(s) && s.is_object()) {
    c.state = state_kind::terminated;
    c.exit_code = int32_or_zero_at(s, "exitCode");
    c.finished = time_at(s, "finishedAt");
  } else if (!state["waiting"].get(s) && s.is_object()) {
    c.state = state_kind::waiting;
  } else if (!state["running"].get(s) && s.is_object()) {
    c.state = state_kind::running;
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
                       int32_or_zero_at(p, "containerPort")});
    });
  });
  return ports;
}

pod_state read_pod(dom::element e, object_detail keep) {
  pod_state p;
  dom::element part;
  if (!e["spec"].get(part)) {
    p.node = string_at(part, "nodeName");
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
  return p;
}

std::string json_text_at(dom::element e, const char* key) {
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

result<object_ptr> read_object(dom::element e, object_detail keep) {
  dom::element meta;
  if (e["metadata"].get(meta) || !meta.is_object())
    return failure{ec::garbage, "an object without metadata"};
  auto o = std::make_shared<object>();
  o->meta = read_json_object_meta(meta);
  if (keep == object_detail::metadata)
    o->meta.annotations.clear();
  if (is_pod_detail(keep))
    o->state = read_pod(e, keep);
  else if (keep == object_detail::spec_and_status)
    o->state = spec_and_status_state{json_text_at(e, "spec"),
                                     json_text_at(e, "status"),
                                     last_field_manager_of_spec(meta)};
  else if (keep == object_detail::full && o->meta.controller())
    o->state =
        full_state{json_without_fields(e, {"apiVersion", "kind", "metadata"}),
                   json_without_fields(meta, {"managedFields"})};
  return object_ptr{std::move(o)};
}

} // namespace

result<object_ptr> decode_object(std::string_view text, object_detail keep) {
  if (is_protobuf(text))
    return decode_protobuf_object(text, keep);
  auto root = parser_of_this_thread().parse(text);
  if (!root)
    return root.error();
  if (text_at(*root, "kind") == "Status")
    return failure{ec::not_found, "the answer is a Status: the object is gone"};
  return read_object(*root, keep);
}

result<list_page> decode_list(std::string_view text, object_detail keep) {
  if (is_protobuf(text))
    return decode_protobuf_list(text, keep);
  auto root = parser_of_this_thread().parse(text);
  if (!root)
    return root.error();
  list_page page;
  dom::element meta;
  dom::array items;
  if ((*root)["metadata"].get(meta) || !meta.is_object())
    return failure{ec::garbage, "a list without metadata"};
  page.resource_version =
      parse_resource_version(text_at(meta, "resourceVersion"));
  page.continue_token = string_at(meta, "continue");
  dom::element list;
  if ((*root)["items"].get(list) || list.is_null())
    return page; // Go writes an empty list as null at times.
  if (list.get(items))
    return failure{ec::garbage, "a list whose items are no list"};
  for (auto item : items) {
    auto o = read_object(item, keep);
    if (!o)
      return o.error();
    page.items.push_back(std::move(*o));
  }
  return page;
}

result<watch_event> decode_watch_line(std::string_view line,
                                      object_detail keep) {
  auto root = parser_of_this_thread().parse(line);
  if (!root)
    return root.error();
  auto type = text_at(*root, "type");
  dom::element body;
  if ((*root)["object"].get(body) || !body.is_object())
    return failure{ec::garbage, "a watch event without an object"};
  auto what = parse_event_type(type);
  if (!what)
    return what.error();
  watch_event event;
  event.type = *what;
  if (event.type == watch_event::kind::error) {
    event.code = int32_or_zero_at(body, "code");
    event.message = string_at(body, "message");
    return event;
  }
  if (event.type == watch_event::kind::bookmark) {
    dom::element meta;
    if (!body["metadata"].get(meta))
      event.resource_version =
          parse_resource_version(text_at(meta, "resourceVersion"));
    return event;
  }
  auto o = read_object(body, keep);
  if (!o)
    return o.error();
  event.item = std::move(*o);
  return event;
}

result<watch_event> decode_protobuf_watch_frame(std::string_view frame,
                                                object_detail keep) {
  return decode_protobuf_event(frame, keep);
}

failure decode_status(std::string_view text, int http_status) {
  if (is_protobuf(text))
    return decode_protobuf_status(text, http_status);
  auto root = parser_of_this_thread().parse(text);
  if (!root || text_at(*root, "kind") != "Status") {
    auto f = failure_of_status({}, http_status);
    if (!text.empty())
      f.message += ": " + excerpt(text);
    return f;
  }
  status_text status{text_at(*root, "reason"), text_at(*root, "message")};
  dom::element details;
  if (!(*root)["details"].get(details))
    status.retry_after_seconds = int32_or_zero_at(details, "retryAfterSeconds");
  return failure_of_status(status, http_status);
}

} // namespace troupe::k8s
