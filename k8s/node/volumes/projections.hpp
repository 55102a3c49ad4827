#pragma once

#include "k8s/node/volumes/config_sources.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// What a volume shows of one source.
struct projection {
  /// Of the pod itself (downwardAPI) there is nothing to read.
  std::optional<config_source_name> source;
  const json* spec;
  std::int64_t mode; ///< Of files whose items say nothing else.
  bool is_token = false;
};

/// Of a volume of one of the kinds configMap, secret, downwardAPI and
/// projected; none of others. Sources of a projected volume that are not known
/// here are left out.
std::vector<projection> parse_volume_projections(const json& volume);

/// The kind of a projected volume's source that is not known here, or "".
std::string find_unknown_projection(const json& volume);

/// A pod's own field, of those that volumes show; nullopt if it is not known.
std::optional<std::string> pod_field_text(const json& pod,
                                          const std::string& path);

} // namespace troupe::k8s::node
