#include "k8s/apiserver/media_types.hpp"

#include "k8s/text.hpp"

#include <map>
#include <vector>

namespace troupe::k8s::apiserver {

namespace {

/// One of an Accept header: a type and its parameters.
struct media_type {
  std::string name;
  std::map<std::string, std::string> parameters;

  std::string parameter(const char* key) const {
    auto i = parameters.find(key);
    return i == parameters.end() ? "" : i->second;
  }
};

std::string trim_blanks(const std::string& text) {
  auto begin = text.find_first_not_of(' ');
  auto end = text.find_last_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<media_type> accepted_types(const http::request& r) {
  std::vector<media_type> out;
  auto header = r.headers.find("accept");
  if (header == r.headers.end())
    return out;
  for (const auto& one : split(header->second, ',')) {
    media_type m;
    for (const auto& part : split(one, ';')) {
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

bool is_served(const media_type& m) {
  for (auto name :
       {"application/json", "application/yaml",
        "application/vnd.kubernetes.protobuf", "application/*", "*/*"})
    if (m.name == name)
      return true;
  return false;
}

/// nullopt if there is no such form.
std::optional<answer_form> form_of(const media_type& m) {
  auto as = m.parameter("as");
  if (as.empty())
    return answer_form::object;
  if (m.parameter("g") != "meta.k8s.io"
      || (m.parameter("v") != "v1" && m.parameter("v") != "v1beta1"))
    return std::nullopt;
  if (as == "Table")
    return answer_form::table;
  if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList")
    return answer_form::metadata;
  return std::nullopt;
}

status_error not_acceptable(std::string why) {
  return {406, "NotAcceptable", std::move(why)};
}

/// The first that is served in a form that there is.
std::optional<media_type> first_accepted(const http::request& r) {
  for (auto& m : accepted_types(r))
    if (is_served(m) && form_of(m))
      return std::move(m);
  return std::nullopt;
}

} // namespace

answer_form requested_form(const http::request& r) {
  auto m = first_accepted(r);
  return m ? *form_of(*m) : answer_form::object;
}

std::optional<status_error> check_acceptable(const http::request& r,
                                             bool is_list) {
  if (accepted_types(r).empty())
    return std::nullopt;
  auto m = first_accepted(r);
  if (!m)
    return not_acceptable(
        "only the following media types are accepted: application/json");
  auto as = m->parameter("as");
  if (is_list && as == "PartialObjectMetadata")
    return not_acceptable("you requested PartialObjectMetadata, but the "
                          "requested object is a list");
  if (!is_list && as == "PartialObjectMetadataList")
    return not_acceptable("you requested PartialObjectMetadataList, but the "
                          "requested object is not a list");
  auto include = r.param("includeObject");
  if (as == "Table" && !include.empty() && include != "None"
      && include != "Metadata" && include != "Object")
    return bad_request("Unable to convert to Table as requested: "
                       "includeObject: Invalid value: \""
                       + include
                       + "\": must be 'Metadata', 'Object', 'None', or empty");
  return std::nullopt;
}

std::string aggregated_discovery_version(const http::request& r) {
  for (const auto& m : accepted_types(r)) {
    auto version = m.parameter("v");
    if (!is_served(m) || m.parameter("as") != "APIGroupDiscoveryList")
      continue;
    if (m.parameter("g") == "apidiscovery.k8s.io"
        && (version == "v2" || version == "v2beta1"))
      return version;
  }
  return {};
}

} // namespace troupe::k8s::apiserver
