#include "actors/cli/manifest/manifest_errors.hpp"

#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::cli {

namespace {

using k8s::json;
using k8s::text_at;
using k8s::value_at;

constexpr const char* unknown_field = "unknown field \"";

std::string last_path_element(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

/// The fields that a strict server does not know.
std::vector<std::string> unknown_fields_in(const std::string& message) {
  std::vector<std::string> paths;
  const std::string begin = unknown_field;
  for (auto at = message.find(begin); at != message.npos;
       at = message.find(begin, at)) {
    at += begin.size();
    auto end = message.find('"', at);
    if (end == message.npos)
      break;
    paths.push_back(message.substr(at, end - at));
  }
  return paths;
}

/// The first field that a message names and the document has: it begins with a
/// top-level field, after a blank or a bracket.
std::string find_named_field(const k8s::yaml_document& d,
                             const std::string& message) {
  for (const auto& [top, value] : d.value.items())
    for (auto at = message.find(top + "."); at != message.npos;
         at = message.find(top + ".", at + 1)) {
      if (at > 0 && message[at - 1] != ' ' && message[at - 1] != '[')
        continue;
      auto end = message.find_first_of(": ,\"", at);
      return message.substr(at, end - at);
    }
  return {};
}

/// The schema one step down: of a property, of any value of a map, of an item.
const json& child_schema(const json& schema, const std::string& name) {
  if (name == "[]")
    return value_at(schema, {"items"});
  const auto& property = value_at(schema, {"properties", name.c_str()});
  return property.is_null() ? value_at(schema, {"additionalProperties"})
                            : property;
}

/// Of what is around the last field of a path.
const json& schema_around(const json& schema, const std::string& path) {
  auto steps = k8s::split_without_empty_parts(path, '.');
  const json* at = &schema;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    auto bracket = steps[i].find('[');
    at = &child_schema(*at, steps[i].substr(0, bracket));
    for (; bracket != steps[i].npos; bracket = steps[i].find('[', bracket + 1))
      at = &child_schema(*at, "[]");
  }
  return *at;
}

/// "runPolicy.cleanPodPolicy": a field of this name one step further down; ""
/// if there is none.
std::string find_field_one_step_below(const json& around,
                                      const std::string& name) {
  const auto& properties = value_at(around, {"properties"});
  if (properties.is_object())
    for (const auto& [key, property] : properties.items())
      if (!value_at(property, {"properties", name.c_str()}).is_null())
        return key + "." + name;
  return {};
}

/// The whole path of the field that may have been meant, "" if none is like it.
std::string path_meant_by(const std::string& path, const json& schema) {
  auto name = last_path_element(path);
  auto meant = find_field_one_step_below(schema_around(schema, path), name);
  if (meant.empty())
    meant = k8s::nearest_word(name, known_sibling_field_names(schema, path));
  if (meant.empty())
    return {};
  return path.substr(0, path.size() - name.size()) + meant;
}

std::string describe_unknown_field(const k8s::yaml_document& d,
                                   const std::string& path,
                                   const json& schema) {
  auto meant = path_meant_by(path, schema);
  return k8s::nearest_known_location_of_field(d, path) + ": unknown field "
         + path + (meant.empty() ? "" : "; did you mean " + meant + "?");
}

std::string wrong_choice_message_at(const k8s::yaml_document& d,
                                    const std::string& path, const json& value,
                                    const std::vector<std::string>& choices) {
  if (!value.is_string() || value == ""
      || std::find(choices.begin(), choices.end(), value) != choices.end())
    return {};
  return k8s::nearest_known_location_of_field(d, path) + ": " + path + ": \""
         + value.get<std::string>() + "\" is none of "
         + k8s::join(choices, ", ");
}

} // namespace

std::string wrong_choice_message(const k8s::yaml_document& job,
                                 const std::string& spec_field) {
  const auto& spec = value_at(job.value, {"spec"});
  std::vector<std::string> wrong{
      wrong_choice_message_at(job, "spec.runPolicy.cleanPodPolicy",
                              value_at(spec, {"runPolicy", "cleanPodPolicy"}),
                              {"All", "Running", "None"}),
      wrong_choice_message_at(job, "spec.successPolicy",
                              value_at(spec, {"successPolicy"}),
                              {"AllWorkers"})};
  const auto& replicas = value_at(spec, {spec_field.c_str()});
  if (replicas.is_object())
    for (const auto& [type, replica] : replicas.items())
      wrong.push_back(wrong_choice_message_at(
          job, "spec." + spec_field + "." + type + ".restartPolicy",
          value_at(replica, {"restartPolicy"}),
          {"Always", "OnFailure", "Never", "ExitCode"}));
  for (const auto& one : wrong)
    if (!one.empty())
      return one;
  return {};
}

std::vector<std::string> known_sibling_field_names(const json& schema,
                                                   const std::string& path) {
  std::vector<std::string> names;
  const auto& properties =
      value_at(schema_around(schema, path), {"properties"});
  if (properties.is_object())
    for (const auto& [name, property] : properties.items())
      names.push_back(name);
  return names;
}

std::string refusal_with_location(const k8s::yaml_document& document,
                                  const std::string& message,
                                  const json& schema) {
  std::vector<std::string> lines;
  for (const auto& path : unknown_fields_in(message))
    lines.push_back(describe_unknown_field(document, path, schema));
  if (!lines.empty())
    return k8s::join(lines, "\n");
  auto field = find_named_field(document, message);
  return k8s::nearest_known_location_of_field(document, field) + ": "
         + text_at(document.value, {"kind"}) + " "
         + text_at(document.value, {"metadata", "name"}) + ": " + message;
}

} // namespace troupe::cli
