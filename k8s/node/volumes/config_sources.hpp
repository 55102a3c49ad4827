#pragma once

#include "k8s/json.hpp"
#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <map>
#include <string>
#include <utility>

namespace troupe::k8s::node {

// ConfigMaps and Secrets of a pod's namespace, from which environments and
// volumes are made.

/// Kind and name.
using config_source_name = std::pair<std::string, std::string>;

/// The decoded data, or why it is not known.
using config_source_content = result<std::map<std::string, std::string>>;

using config_sources = std::map<config_source_name, config_source_content>;

/// The resource of a ConfigMap or Secret.
resource config_source_resource(const std::string& kind);

/// The data of a ConfigMap or Secret object; values that are not base64 become
/// "".
config_source_content decode_config_source_data(const std::string& kind,
                                                const json& object);

} // namespace troupe::k8s::node
