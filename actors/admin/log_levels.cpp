#include "actors/admin/log_levels.hpp"

#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::actors {

using nlohmann::json;

namespace {

constexpr const char* general_level = "default";

/// Names of loggers: of the source files that write to the log.
const std::vector<std::string>& log_component_names() {
  static const std::vector<std::string> all{
      "admin",
      "admin-server",
      "certificate-rotator",
      "directory",
      "forwarding-key",
      "job-supervisor-calls",
      "leader-elector",
      "local-cluster",
      "log-reader",
      "operator-command",
      "operator-lease",
      "operator-process",
      "other-operator-watch",
      "queueing",
      "report-intake",
      "root",
      "server-probe",
      "settings-reload",
      "stored-versions",
      "watcher",
  };
  return all;
}

k8s::failure invalid_body_failure(std::string why) {
  return {k8s::ec::invalid, std::move(why)};
}

/// The text of a field, "" if it is absent.
k8s::result<std::string> string_field_or_empty(const json& body,
                                               const char* name) {
  const auto* value = k8s::find_value(body, {name});
  if (!value)
    return std::string{};
  if (!value->is_string())
    return invalid_body_failure(std::string{name} + " is not a string");
  return value->get<std::string>();
}

k8s::failure unknown_level_failure(const std::string& text, bool of_component) {
  return invalid_body_failure(
      "level is \"" + text + "\"; choose one of debug, info, warn, error"
      + (of_component ? ", default (as all components)" : ""));
}

} // namespace

k8s::result<log_level_change> parse_log_level_change(const std::string& body) {
  auto read = k8s::parse_json(body);
  if (!read || !read->is_object())
    return invalid_body_failure(
        "the body must be a JSON object such as {\"component\": "
        "\"watcher\", \"level\": \"debug\"}");
  for (const auto& field : read->items())
    if (field.key() != "component" && field.key() != "level")
      return invalid_body_failure("there is no field " + field.key()
                                  + "; must be component or level");
  auto component = string_field_or_empty(*read, "component");
  auto level = string_field_or_empty(*read, "level");
  if (!component)
    return component.error();
  if (!level)
    return level.error();
  const auto& known = log_component_names();
  if (!component->empty()
      && std::find(known.begin(), known.end(), *component) == known.end())
    return invalid_body_failure("component is \"" + *component
                                + "\"; choose one of " + k8s::join(known, ", ")
                                + ", or leave it out for all");
  log_level_change change{*component, log::parse_level(*level)};
  bool resets = !component->empty() && *level == general_level;
  if (!change.level && !resets)
    return unknown_level_failure(*level, !component->empty());
  return change;
}

void apply_log_level_change(const log_level_change& change) {
  if (!change.component.empty())
    log::set_component_level(change.component, change.level);
  else if (change.level)
    log::set_level_of_all_components(*change.level);
}

json to_json(const log::levels& levels) {
  auto components = json::object();
  for (const auto& name : log_component_names()) {
    auto own = levels.components.find(name);
    components[name] = log::to_string(
        own == levels.components.end() ? levels.general : own->second);
  }
  return {{"level", log::to_string(levels.general)},
          {"components", std::move(components)}};
}

} // namespace troupe::actors
