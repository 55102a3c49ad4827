#include "k8s/apiserver/body_decoding.hpp"

#include "k8s/apiserver/protobuf.hpp"

namespace troupe::k8s::apiserver {

status_or<json> decode_body(const http::request& r) {
  if (r.body.empty() && (r.method == "DELETE" || r.method == "GET"))
    return json(json::object());
  auto type = r.headers.find("content-type");
  if (type != r.headers.end()
      && type->second.find("protobuf") != std::string::npos)
    return decode_protobuf(r.body);
  // Server-side apply comes as YAML; it is refused by name later on.
  if (type != r.headers.end()
      && type->second.find("apply-patch") != std::string::npos)
    return json(json::object());
  auto parsed = parse_json(r.body);
  bool yaml =
      type != r.headers.end() && type->second.find("yaml") != std::string::npos;
  if (!parsed)
    return bad_request("the body of the request is not valid JSON"
                       + std::string(yaml ? " (of YAML, only JSON is "
                                            "read here)"
                                          : "")
                       + ": " + parsed.error().message);
  return std::move(*parsed);
}

} // namespace troupe::k8s::apiserver
