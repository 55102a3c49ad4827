#include "k8s/calls.hpp"

#include "k8s/uri.hpp"

namespace troupe::k8s {

const char* to_string(verb v) {
  switch (v) {
  case verb::get:
    return "get";
  case verb::list:
    return "list";
  case verb::watch:
    return "watch";
  case verb::create:
    return "create";
  case verb::update:
    return "update";
  case verb::patch:
    return "patch";
  case verb::remove:
    break;
  }
  return "delete";
}

namespace {

std::string collection_path(const resource& r, const std::string& ns) {
  auto path =
      (r.group.empty() ? "/api/" : "/apis/" + r.group + "/") + r.version;
  if (!ns.empty())
    path += "/namespaces/" + percent_encode(ns);
  return path + "/" + r.plural;
}

std::string object_path(const object_ref& o) {
  return collection_path(o.type, o.ns) + "/" + percent_encode(o.name);
}

request make_request(verb what, std::string path, const resource& r,
                     std::string body = {}, const char* content_type = "") {
  return {what, std::move(path), std::move(body), content_type, r.plural};
}

void add_query_parameter_unless_empty(std::string& path, const char* name,
                                      const std::string& value) {
  if (value.empty())
    return;
  path += path.find('?') == std::string::npos ? '?' : '&';
  path += name;
  path += '=';
  path += percent_encode(value);
}

std::string collection_path_with_selectors(const selection& s) {
  auto path = collection_path(s.type, s.ns);
  add_query_parameter_unless_empty(path, "labelSelector", s.label_selector);
  add_query_parameter_unless_empty(path, "fieldSelector", s.field_selector);
  return path;
}

/// A UID as a JSON string.
std::string quote_uid(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out + '"';
}

} // namespace

request get(const object_ref& o) {
  return make_request(verb::get, object_path(o), o.type);
}

request list(const selection& s, int limit, const std::string& continue_token) {
  auto path = collection_path_with_selectors(s);
  if (limit > 0)
    add_query_parameter_unless_empty(path, "limit", std::to_string(limit));
  add_query_parameter_unless_empty(path, "continue", continue_token);
  return make_request(verb::list, std::move(path), s.type);
}

request list_by_name(const object_ref& o) {
  return list({o.type, o.ns, "", "metadata.name=" + o.name}, 0, "");
}

request watch(const selection& s, std::uint64_t resource_version,
              std::chrono::seconds server_limit) {
  auto path = collection_path_with_selectors(s);
  add_query_parameter_unless_empty(path, "watch", "true");
  add_query_parameter_unless_empty(path, "allowWatchBookmarks", "true");
  add_query_parameter_unless_empty(path, "resourceVersion",
                                   std::to_string(resource_version));
  add_query_parameter_unless_empty(path, "timeoutSeconds",
                                   std::to_string(server_limit.count()));
  return make_request(verb::watch, std::move(path), s.type);
}

request create(const resource& type, const std::string& ns, std::string body) {
  return make_request(verb::create, collection_path(type, ns), type,
                      std::move(body));
}

request update(const object_ref& o, std::string body) {
  return make_request(verb::update, object_path(o), o.type, std::move(body));
}

request read_log(const log_selection& s) {
  auto path = object_path(s.pod) + "/log";
  add_query_parameter_unless_empty(path, "container", s.container);
  add_query_parameter_unless_empty(
      path, "tailLines", s.last_lines ? std::to_string(*s.last_lines) : "");
  add_query_parameter_unless_empty(path, "sinceTime",
                                   s.since ? to_rfc3339(*s.since) : "");
  add_query_parameter_unless_empty(path, "timestamps",
                                   s.timestamps ? "true" : "");
  add_query_parameter_unless_empty(path, "follow", s.follow ? "true" : "");
  add_query_parameter_unless_empty(path, "previous", s.previous ? "true" : "");
  auto r = make_request(verb::watch, std::move(path), s.pod.type);
  r.resource = "pods/log";
  r.accept = "*/*";
  return r;
}

request get_readyz() {
  return {verb::get, "/readyz", "", "", "readyz"};
}

request update_status(const object_ref& o, std::string body) {
  auto r = make_request(verb::update, object_path(o) + "/status", o.type,
                        std::move(body));
  r.resource += "/status";
  return r;
}

request patch_status(const object_ref& o, std::string operations) {
  auto r = make_request(verb::patch, object_path(o) + "/status", o.type,
                        std::move(operations), "application/json-patch+json");
  r.resource += "/status";
  return r;
}

request json_patch(const object_ref& o, std::string operations) {
  return make_request(verb::patch, object_path(o), o.type,
                      std::move(operations), "application/json-patch+json");
}

request merge_patch(const object_ref& o, std::string body) {
  return make_request(verb::patch, object_path(o), o.type, std::move(body),
                      "application/merge-patch+json");
}

request strategic_patch(const object_ref& o, std::string body) {
  return make_request(verb::patch, object_path(o), o.type, std::move(body),
                      "application/strategic-merge-patch+json");
}

request remove(const object_ref& o, const std::string& uid,
               std::optional<int> grace) {
  std::string body =
      R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background")";
  if (!uid.empty())
    body += R"(,"preconditions":{"uid":)" + quote_uid(uid) + "}";
  if (grace)
    body += R"(,"gracePeriodSeconds":)" + std::to_string(*grace);
  return make_request(verb::remove, object_path(o), o.type, body + "}");
}

request with_accept_header(object_detail keep, request r) {
  static const std::string json = "application/json";
  static const std::string protobuf = protobuf_media_type;
  static const std::string whole = protobuf + "," + json;
  static const auto brief = [](const std::string& as) {
    auto form = ";as=" + as + ";g=meta.k8s.io;v=v1,";
    return protobuf + form + json + form + json;
  };
  static const std::string one = brief("PartialObjectMetadata");
  static const std::string many = brief("PartialObjectMetadataList");
  if (is_pod_detail(keep))
    r.accept = whole;
  else if (keep == object_detail::metadata)
    r.accept = r.method == verb::list ? many : one;
  return r;
}

} // namespace troupe::k8s
