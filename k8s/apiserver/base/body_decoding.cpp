#include "k8s/apiserver/base/body_decoding.hpp"

#include "k8s/apiserver/base/protobuf.hpp"
#include "k8s/codec/yaml.hpp"

namespace troupe::k8s::apiserver {

namespace {

bool content_type_contains(const http::request& r, const char* part) {
  return r.header("content-type").find(part) != std::string::npos;
}

status_or<json> decode_single_yaml_document(const std::string& text) {
  auto documents = parse_yaml(text, "the body of the request");
  if (!documents)
    return bad_request(documents.error().message);
  if (documents->size() != 1)
    return bad_request("the body of the request must be one YAML document, not "
                       + std::to_string(documents->size()));
  return std::move(documents->front().value);
}

} // namespace

status_or<json> decode_body(const http::request& r) {
  if (r.body.empty() && (r.method == "DELETE" || r.method == "GET"))
    return json(json::object());
  if (content_type_contains(r, "protobuf"))
    return decode_protobuf(r.body);
  auto parsed = parse_json(r.body);
  if (!parsed && content_type_contains(r, "yaml"))
    return decode_single_yaml_document(r.body);
  if (!parsed)
    return bad_request("the body of the request is not valid JSON: "
                       + parsed.error().message);
  return std::move(*parsed);
}

} // namespace troupe::k8s::apiserver
