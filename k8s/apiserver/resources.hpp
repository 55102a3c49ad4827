#pragma once

#include "k8s/apiserver/schema.hpp"
#include "k8s/objects.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// One column of a table as `kubectl get` shows it.
struct column {
  std::string name;
  std::string type = "string"; ///< string, integer, number, boolean, date.
  std::string path;            ///< JSONPath: ".status.phase".
  int priority = 0;            ///< Above 0: with -o wide only.
  std::string format;
  std::string description;
};

/// How a built-in resource behaves when it is written, beyond what all do.
/// Null members do nothing.
struct conduct {
  void (*defaults)(json& object) = nullptr;
  /// Makes a created object's initial status.
  void (*begin)(json& object) = nullptr;
  causes (*check)(const json& object) = nullptr;
  causes (*check_update)(const json& object, const json& old) = nullptr;
  causes (*check_status)(const json& object, const json& old) = nullptr;
};

/// One resource as served under one group and version. Immutable, shared.
struct served {
  resource name;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::string bucket; ///< Of the store; shared by all versions.
  bool namespaced = true;
  bool custom = false;         ///< Defined by a CRD.
  bool has_status = false;     ///< Serves /status.
  bool has_scale = false;      ///< Serves /scale.
  bool returns_object = false; ///< DELETE answers with the object.
  bool is_stored_version = true;
  std::vector<std::string> fields; ///< For field selectors.
  std::vector<column> columns;
  conduct rules;
  std::shared_ptr<const schema> shape; ///< Of a custom resource.
  json scale;                          ///< The CRD's subresources.scale.
  /// Between this version and the stored one; null if only apiVersion differs.
  json (*outward)(const json&) = nullptr;
  json (*inward)(const json&) = nullptr;
};

using served_ptr = std::shared_ptr<const served>;

/// "pods" or "tfjobs.kubeflow.org".
std::string bucket_of(const std::string& group, const std::string& plural);

/// What an object reads like under one version.
json as_served(const served& type, const json& stored);
bool needs_conversion(const served& type);

/// Everything served, built in or by CRD.
class catalogue {
public:
  catalogue();

  served_ptr find(const std::string& group, const std::string& version,
                  const std::string& plural) const;
  /// Some version of what lies in `bucket`, or null.
  served_ptr in(const std::string& bucket) const;
  /// Replaces all versions a CRD serves; none withdraws it.
  void define(const std::string& bucket, std::vector<served_ptr> versions);

  std::vector<served_ptr> all() const;

private:
  void add(served s);

  std::map<std::string, served_ptr, std::less<>> by_path_;
};

} // namespace troupe::k8s::apiserver
