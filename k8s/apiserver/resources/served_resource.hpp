#pragma once

#include "k8s/apiserver/base/object_converter.hpp"
#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/schema/schema.hpp"
#include "k8s/objects.hpp"

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

/// What a write does for a built-in resource beyond what it does for all. Null
/// members do nothing.
struct write_strategy {
  void (*set_defaults)(json& object) = nullptr;
  /// Makes a created object's initial status.
  void (*prepare_for_create)(json& object) = nullptr;
  /// Restores the fields that an update, or an update of the subresource,
  /// cannot change.
  void (*prepare_for_update)(json& object, const json& old,
                             const std::string& subresource) = nullptr;
  field_errors (*validate)(const json& object) = nullptr;
  field_errors (*validate_update)(const json& object,
                                  const json& old) = nullptr;
  field_errors (*validate_status_update)(const json& object,
                                         const json& old) = nullptr;
  /// Called first: rewrites fields that clients may write in another form than
  /// the stored one.
  void (*normalize)(json& object) = nullptr;
};

/// One resource as served under one group and version. Immutable, shared.
struct served_resource {
  resource name;
  std::string singular;
  std::string list_kind;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::string bucket; ///< In the store; shared by all versions.
  /// What is wrong with the name of an object, or "".
  std::string (*name_error)(const std::string& name) = dns1123_subdomain_error;
  bool namespaced = true;
  bool custom = false; ///< Defined by a CRD.
  /// A creation is answered and not stored; nothing else is served.
  bool is_review = false;
  /// Read only, and not stored: metrics.k8s.io.
  bool is_metrics_resource = false;
  bool has_status = false;            ///< Serves /status.
  bool has_scale = false;             ///< Serves /scale.
  bool return_deleted_object = false; ///< DELETE answers with it.
  bool has_collection_deletion = true;
  /// A DELETE that does not say what becomes of the dependents leaves them, as
  /// Jobs did from the beginning.
  bool orphans_dependents_by_default = false;
  bool allow_create_on_update = false; ///< PUT creates a missing object.
  std::string storage_version;         ///< Of a custom resource: "v1".
  /// Converts between the versions of a custom resource. Null or empty: only
  /// apiVersion differs. Not owned.
  const object_converter* converter = nullptr;
  std::vector<std::string> selectable_fields; ///< For field selectors.
  std::vector<printer_column> columns;
  std::string deprecation_warning; ///< For clients that use this version.
  write_strategy strategy;
  std::shared_ptr<const schema> validation_schema; ///< Of a custom resource.
  std::string openapi_schema; ///< JSON of the CRD's, for clients. "": none.
  json scale_paths;           ///< As in a CRD's subresources.scale.
  /// Convert between this version of a built-in resource and the stored one;
  /// null if this is the stored one.
  json (*from_storage)(const json&) = nullptr;
  json (*to_storage)(const json&) = nullptr;

  bool is_storage_version() const {
    return custom ? name.version == storage_version : !from_storage;
  }
};

using resource_ptr = std::shared_ptr<const served_resource>;

/// The schema of a resource's objects; nullptr if it is not known.
const schema* find_schema(const served_resource& type);

/// The bucket of the store: "pods" or "tfjobs.kubeflow.org".
std::string plural_dot_group_bucket(const std::string& group,
                                    const std::string& plural);

/// A stored object of a built-in resource in the version of `type`. An object
/// of a custom resource has to be in that version already
/// (version_conversion.hpp), and stays as it is.
json convert_builtin_to_served_version(const served_resource& type,
                                       const json& stored);

} // namespace troupe::k8s::apiserver
