#pragma once

#include "k8s/node/volumes/config_sources.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// One source of a volume.
struct projection {
  /// Nullopt for the pod's own fields (downwardAPI), which need not be read.
  std::optional<config_source_name> source;
  const json* spec;
  std::int64_t mode; ///< Of files whose items have none.
  bool is_token = false;
};

/// The sources of a configMap, secret, downwardAPI or projected volume; none
/// for other kinds. Unknown sources of a projected volume are left out.
std::vector<projection> parse_volume_projections(const json& volume);

/// The mode of one of its files, for which `wanted` is asked. All pods are one
/// user here: whatever the owner, the group or others may do with a Secret's
/// file in a cluster, this user may do, and nobody else.
mode_t file_mode(const projection& p, std::int64_t wanted);

/// The kind of the first unknown source of a projected volume, or "".
std::string find_unknown_projection_kind(const json& volume);

/// The text of a pod's field in a downwardAPI volume; nullopt for fields that
/// such volumes cannot show.
std::optional<std::string> downward_api_field_text(const json& pod,
                                                   const std::string& path);

} // namespace troupe::k8s::node
