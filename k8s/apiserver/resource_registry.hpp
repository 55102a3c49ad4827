#pragma once

#include "k8s/apiserver/schema.hpp"
#include "k8s/objects.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// One column of a table as `kubectl get` shows it.
struct printer_column {
  std::string name;
  std::string type = "string"; ///< string, integer, number, boolean, date.
  std::string path;            ///< JSONPath: ".status.phase".
  int priority = 0;            ///< Above 0: with -o wide only.
  std::string format;
  std::string description;
};

/// How a built-in resource behaves when it is written, beyond what all do.
/// Null members do nothing.
struct write_strategy {
  void (*set_defaults)(json& object) = nullptr;
  /// Makes a created object's initial status.
  void (*prepare_for_create)(json& object) = nullptr;
  field_errors (*validate)(const json& object) = nullptr;
  field_errors (*validate_update)(const json& object,
                                  const json& old) = nullptr;
  field_errors (*validate_status_update)(const json& object,
                                         const json& old) = nullptr;
};

/// One resource as served under one group and version. Immutable, shared.
struct served_resource {
  resource name;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::string bucket; ///< Of the store; shared by all versions.
  bool namespaced = true;
  bool custom = false;                ///< Defined by a CRD.
  bool has_status = false;            ///< Serves /status.
  bool has_scale = false;             ///< Serves /scale.
  bool delete_returns_object = false; ///< DELETE answers with the object.
  bool is_stored_version = true;
  std::vector<std::string> selectable_fields; ///< For field selectors.
  std::vector<printer_column> columns;
  write_strategy strategy;
  std::shared_ptr<const schema> validation_schema; ///< Of a custom resource.
  json scale_paths; ///< The CRD's subresources.scale.
  /// Between this version and the stored one; null if only apiVersion differs.
  json (*from_storage)(const json&) = nullptr;
  json (*to_storage)(const json&) = nullptr;
};

using resource_ptr = std::shared_ptr<const served_resource>;

/// "pods" or "tfjobs.kubeflow.org".
std::string bucket_of(const std::string& group, const std::string& plural);

/// What an object reads like under one version.
json convert_to_served_version(const served_resource& type, const json& stored);
bool needs_conversion(const served_resource& type);

/// Everything served, built in or by CRD.
class resource_registry {
public:
  resource_registry();

  resource_ptr find(const std::string& group, const std::string& version,
                    const std::string& plural) const;
  /// Some version of what lies in `bucket`, or null.
  resource_ptr find_by_bucket(const std::string& bucket) const;
  /// Replaces all versions a CRD serves; none withdraws it.
  void replace_custom_resource(const std::string& bucket,
                               std::vector<resource_ptr> versions);

  std::vector<resource_ptr> all() const;

private:
  void add(served_resource s);

  std::map<std::string, resource_ptr, std::less<>> by_path_;
};

} // namespace troupe::k8s::apiserver
