#include "k8s/apiserver/resources/served_resource.hpp"

#include "k8s/apiserver/schema/builtin_schemas.hpp"

namespace troupe::k8s::apiserver {

const schema* find_schema(const served_resource& type) {
  return type.custom ? type.validation_schema.get()
                     : find_builtin_schema(type.name);
}

std::string plural_dot_group_bucket(const std::string& group,
                                    const std::string& plural) {
  return group.empty() ? plural : plural + "." + group;
}

json convert_builtin_to_served_version(const served_resource& type,
                                       const json& stored) {
  json out = type.from_storage ? type.from_storage(stored) : stored;
  out["apiVersion"] = type.name.api_version();
  return out;
}

} // namespace troupe::k8s::apiserver
