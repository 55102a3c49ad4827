#pragma once

#include "k8s/apiserver/resources/served_resource.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// The resources that are served, built in or by CRD.
class resource_registry {
public:
  resource_registry();

  resource_ptr find(const std::string& group, const std::string& version,
                    const std::string& plural) const;
  /// The resource in the version in which `bucket` is stored, or in another one
  /// if that is not served; null if there is none.
  resource_ptr find_stored_version_by_bucket(const std::string& bucket) const;
  /// Replaces all versions that a CRD serves; with none the resource is
  /// withdrawn.
  void replace_custom_resource(const std::string& bucket,
                               std::vector<resource_ptr> versions);

  /// The resource whose objects have this kind, or nullptr.
  resource_ptr find_by_kind(const std::string& api_version,
                            const std::string& kind) const;

  std::vector<resource_ptr> all() const;

private:
  void add(resource_ptr s);

  std::map<std::string, resource_ptr, std::less<>> by_path_;
  std::map<std::string, resource_ptr, std::less<>> stored_by_bucket_;
};

} // namespace troupe::k8s::apiserver
