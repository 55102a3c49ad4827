#include "k8s/apiserver/base/media_types.hpp"

#include "k8s/http/message_format.hpp"
#include "k8s/text.hpp"

#include <map>
#include <vector>

namespace troupe::k8s::apiserver {

namespace {

/// One of an Accept header: a type and its parameters.
struct media_type {
  std::string name;
  std::map<std::string, std::string> parameters;

  std::string find_parameter(const char* key) const {
    auto i = parameters.find(key);
    return i == parameters.end() ? "" : i->second;
  }
};

std::vector<media_type> parse_accept_header(const http::request& r) {
  std::vector<media_type> out;
  for (const auto& one : http::split_header_list(r.header("accept"))) {
    media_type m;
    for (const auto& part : split_without_empty_parts(one, ';')) {
      auto equals = part.find('=');
      if (m.name.empty())
        m.name = lower_case(trim_blanks(part));
      else if (equals != part.npos)
        m.parameters[trim_blanks(part.substr(0, equals))] =
            trim_blanks(part.substr(equals + 1));
    }
    if (!m.name.empty())
      out.push_back(std::move(m));
  }
  return out;
}

bool is_served_media_type(const media_type& m) {
  return is_one_of(m.name, {"application/json", "application/yaml",
                            "application/vnd.kubernetes.protobuf",
                            "application/*", "*/*"});
}

/// nullopt if there is no such form.
std::optional<object_form> parse_object_form(const media_type& m) {
  auto as = m.find_parameter("as");
  if (as.empty())
    return object_form::object;
  if (m.find_parameter("g") != "meta.k8s.io"
      || (m.find_parameter("v") != "v1" && m.find_parameter("v") != "v1beta1"))
    return std::nullopt;
  if (as == "Table")
    return object_form::table;
  if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList")
    return object_form::metadata;
  return std::nullopt;
}

status_error not_acceptable_error(std::string why) {
  return {406, "NotAcceptable", std::move(why)};
}

/// The first that is served in a form that there is.
const media_type*
find_first_served_media_type(const std::vector<media_type>& accepted) {
  for (const auto& m : accepted)
    if (is_served_media_type(m) && parse_object_form(m))
      return &m;
  return nullptr;
}

} // namespace

object_form requested_object_form(const http::request& r) {
  auto accepted = parse_accept_header(r);
  const auto* m = find_first_served_media_type(accepted);
  return m ? *parse_object_form(*m) : object_form::object;
}

std::optional<status_error>
check_accept_and_include_object(const http::request& r, bool is_list) {
  auto accepted = parse_accept_header(r);
  if (accepted.empty())
    return std::nullopt;
  const auto* m = find_first_served_media_type(accepted);
  if (!m)
    return not_acceptable_error(
        "only the following media types are accepted: application/json");
  auto as = m->find_parameter("as");
  if (is_list && as == "PartialObjectMetadata")
    return not_acceptable_error("you requested PartialObjectMetadata, but the "
                                "requested object is a list");
  if (!is_list && as == "PartialObjectMetadataList")
    return not_acceptable_error(
        "you requested PartialObjectMetadataList, but the "
        "requested object is not a list");
  auto include = r.query_param("includeObject");
  if (as == "Table" && !include.empty() && include != "None"
      && include != "Metadata" && include != "Object")
    return bad_request("Unable to convert to Table as requested: "
                       "includeObject: Invalid value: \""
                       + include
                       + "\": must be 'Metadata', 'Object', 'None', or empty");
  return std::nullopt;
}

std::string requested_aggregated_discovery_version(const http::request& r) {
  for (const auto& m : parse_accept_header(r)) {
    auto version = m.find_parameter("v");
    if (!is_served_media_type(m)
        || m.find_parameter("as") != "APIGroupDiscoveryList")
      continue;
    if (m.find_parameter("g") == "apidiscovery.k8s.io"
        && (version == "v2" || version == "v2beta1"))
      return version;
  }
  return {};
}

bool wants_openapi_protobuf(const http::request& r) {
  for (const auto& m : parse_accept_header(r)) {
    if (is_one_of(m.name, {"application/json", "application/*", "*/*"}))
      return false;
    if (m.name == "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
      return true;
  }
  return false;
}

} // namespace troupe::k8s::apiserver
