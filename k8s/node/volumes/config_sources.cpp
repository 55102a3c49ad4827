#include "k8s/node/volumes/config_sources.hpp"

#include "k8s/general/base64.hpp"
#include "k8s/node/base/pod_fields.hpp"

namespace troupe::k8s::node {

resource config_source_resource(const std::string& kind) {
  return {"", "v1", kind == "Secret" ? "secrets" : "configmaps", kind};
}

config_source_content decode_config_source_data(const std::string& kind,
                                                const json& object) {
  auto data = string_map_at(object, {"data"});
  if (kind == "Secret")
    for (auto& [key, value] : data)
      value = from_base64(value).value_or("");
  else
    for (const auto& [key, value] : string_map_at(object, {"binaryData"}))
      data[key] = from_base64(value).value_or("");
  return data;
}

} // namespace troupe::k8s::node
