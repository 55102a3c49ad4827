#include "config/settings_text.hpp"

#include "config/setting_rows.hpp"
#include "k8s/json.hpp"

namespace troupe::config {

namespace {

/// The value as YAML. JSON's strings and lists are YAML, too.
std::string format_yaml_value(const setting_row& r, const settings& s) {
  if (auto list = std::get_if<std::vector<std::string> settings::*>(&r.where)) {
    std::string text = "[";
    for (const auto& item : s.*(*list)) {
      text += text.size() > 1 ? ", " : "";
      k8s::append_quoted(text, item);
    }
    return text + "]";
  }
  auto value = format_setting(r, s);
  if (!std::holds_alternative<std::string settings::*>(r.where))
    return value;
  std::string text;
  k8s::append_quoted(text, value);
  return text;
}

} // namespace

std::string to_yaml(const settings& s) {
  std::string out;
  const settings defaults;
  const setting_group* group = nullptr;
  for (const auto& r : setting_rows()) {
    if (group != r.group) {
      out += (group ? "\n# -- " : "# -- ") + std::string{r.group->title} + "\n";
      group = r.group;
    }
    auto origin = s.origins.find(r.name);
    out += "# " + std::string{r.help} + ".\n# ";
    if (origin == s.origins.end())
      out += "Default: " + std::string{r.reason} + ".\n";
    else
      out += "From " + origin->second + "; the default is "
             + format_yaml_value(r, defaults) + ": " + r.reason + ".\n";
    out += std::string{r.name} + ": " + format_yaml_value(r, s) + "\n";
  }
  return out;
}

k8s::json to_json(const settings& s) {
  auto out = k8s::json::array();
  for (const auto& r : setting_rows()) {
    k8s::json row{{"name", r.name},
                  {"value", format_setting(r, s)},
                  {"default", format_default(r)},
                  {"reason", r.reason},
                  {"reloadable", r.reloadable}};
    if (auto origin = s.origins.find(r.name); origin != s.origins.end())
      row["origin"] = origin->second;
    out.push_back(std::move(row));
  }
  return out;
}

changed_settings find_changed_settings(const settings& before,
                                       const settings& after) {
  changed_settings result;
  for (const auto& r : setting_rows())
    if (format_setting(r, before) != format_setting(r, after))
      (r.reloadable ? result.reloadable : result.at_restart).push_back(r.name);
  return result;
}

settings apply_reloadable_settings(settings before, const settings& after) {
  for (const auto& r : setting_rows()) {
    if (!r.reloadable)
      continue;
    std::visit([&](auto field) { before.*field = after.*field; }, r.where);
    before.origins.erase(r.name);
    if (auto origin = after.origins.find(r.name); origin != after.origins.end())
      before.origins.insert(*origin);
  }
  return before;
}

} // namespace troupe::config
