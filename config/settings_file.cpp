#include "config/settings_file.hpp"

#include "config/setting_rows.hpp"
#include "k8s/general/files.hpp"

#include <yaml-cpp/yaml.h>

#include <set>

namespace troupe::config {

namespace {

using k8s::ec;
using k8s::failure;
using k8s::result;

std::string file_and_line(const std::string& path, const YAML::Mark& mark) {
  return path + ":" + std::to_string(mark.line + 1);
}

/// Adds one entry of the mapping.
result<k8s::nothing> add_assignments_of_entry(assignments& to,
                                              const std::string& where,
                                              const std::string& key,
                                              const YAML::Node& value) {
  const auto* former = current_name_of_former(key);
  auto r = find_setting_row(former ? former : key);
  if (r == nullptr) {
    auto near = nearest_setting_name(key);
    return failure{ec::invalid,
                   where + ": unknown key " + key
                       + (near.empty() ? "" : "; did you mean " + near + "?")};
  }
  auto is_list =
      std::holds_alternative<std::vector<std::string> settings::*>(r->where);
  if (value.IsScalar())
    to.push_back({key, value.Scalar(), where});
  else if (is_list && value.IsSequence()) {
    if (value.size() == 0)
      to.push_back({key, "", where});
    for (const auto& item : value) {
      if (!item.IsScalar())
        return failure{ec::invalid,
                       where + ": " + key + " must be a list of strings"};
      to.push_back({key, item.Scalar(), where});
    }
  } else {
    return failure{ec::invalid,
                   where + ": " + key + " must be "
                       + (is_list ? "a list of strings" : "a single value")
                       + (value.IsNull() ? ", but is empty" : "")};
  }
  return k8s::nothing{};
}

} // namespace

result<assignments> parse_settings_yaml(const std::string& text,
                                        const std::string& path) {
  try {
    auto root = YAML::Load(text);
    assignments to;
    if (root.IsNull())
      return to;
    if (!root.IsMap())
      return failure{ec::invalid,
                     path + ":1: must be a mapping of settings, KEY: VALUE"};
    std::set<std::string> seen;
    for (const auto& entry : root) {
      auto where = file_and_line(path, entry.first.Mark());
      auto key = entry.first.Scalar();
      if (!seen.insert(key).second)
        return failure{ec::invalid, where + ": " + key + " is set twice"};
      if (auto done = add_assignments_of_entry(to, where, key, entry.second);
          !done)
        return done.error();
    }
    return to;
  } catch (const YAML::Exception& e) {
    return failure{ec::invalid,
                   file_and_line(path, e.mark) + ": not YAML: " + e.msg};
  }
}

result<assignments> read_settings_file(const std::string& path) {
  auto text = k8s::read_file(path);
  if (!text)
    return failure{ec::invalid, "--config " + text.error().message};
  return parse_settings_yaml(*text, path);
}

} // namespace troupe::config
