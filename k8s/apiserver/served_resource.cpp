#include "k8s/apiserver/served_resource.hpp"

namespace troupe::k8s::apiserver {

std::string plural_dot_group_bucket(const std::string& group,
                                    const std::string& plural) {
  return group.empty() ? plural : plural + "." + group;
}

json convert_to_served_version(const served_resource& type,
                               const json& stored) {
  json out = type.from_storage ? type.from_storage(stored) : stored;
  out["apiVersion"] = type.name.api_version();
  return out;
}

} // namespace troupe::k8s::apiserver
