#include "frameworks/conversions.hpp"

#include "frameworks/core/spec/limits.hpp"
#include "k8s/json_outline.hpp"

namespace troupe::frameworks {

using k8s::json;
using k8s::value_at;

const std::vector<object_conversion>& object_conversions() {
  static const std::vector<object_conversion> all{dijob_conversion()};
  return all;
}

std::vector<k8s::json_path>
paths_of_job_outlines(const std::vector<k8s::json_path>& objects) {
  static const k8s::json_path parts[] = {{},
                                         {"metadata"},
                                         {"metadata", "labels"},
                                         {"metadata", "annotations"},
                                         {"spec"},
                                         {"status"}};
  std::vector<k8s::json_path> out;
  for (const auto& object : objects)
    for (const auto& part : parts) {
      auto& path = out.emplace_back(object);
      path.insert(path.end(), part.begin(), part.end());
    }
  return out;
}

json read_job_outline(std::string_view object) {
  static const auto paths = paths_of_job_outlines({{}});
  return k8s::parse_json_outline(object, paths, core::max_outline_values);
}

const object_conversion* find_conversion_of_kind(const std::string& api_version,
                                                 const std::string& kind) {
  for (const auto& c : object_conversions())
    if (c.kind == kind
        && api_version.substr(0, api_version.find('/')) == c.group)
      return &c;
  return nullptr;
}

const object_conversion*
find_conversion_of_resource(const std::string& group,
                            const std::string& plural) {
  for (const auto& c : object_conversions())
    if (c.group == group && c.plural == plural)
      return &c;
  return nullptr;
}

bool is_converted(const object_conversion& c, const json& object) {
  return !value_at(object, {"metadata", "labels", c.label.c_str()}).is_null();
}

std::string find_conversion_write_error(const object_conversion& c,
                                        const json& object, const json& old) {
  auto is_changed = [&](const char* map, const std::string& key) {
    return value_at(object, {"metadata", map, key.c_str()})
           != value_at(old, {"metadata", map, key.c_str()});
  };
  const auto rest =
      std::string{"]: Forbidden: only conversion between versions writes it; "}
      + (old.is_null() ? "leave it out" : "leave it as it is");
  if (is_changed("labels", c.label))
    return "metadata.labels[" + c.label + rest;
  if (is_changed("annotations", c.annotation))
    return "metadata.annotations[" + c.annotation + rest;
  return c.find_restore_error(object);
}

} // namespace troupe::frameworks
