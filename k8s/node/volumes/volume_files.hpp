#pragma once

#include "k8s/node/base/start_error.hpp"
#include "k8s/node/volumes/config_sources.hpp"

#include <optional>
#include <string>

namespace troupe::k8s::node {

/// Writes the files that the volume shows into its directory, and removes all
/// others. Nothing is written before all sources that it shows are in `data`.
/// Errors have a kubelet's words.
std::optional<start_error>
write_projections_if_all_read(const json& pod, const json& volume,
                              const std::string& directory,
                              const config_sources& data);

/// "MountVolume.SetUp failed for volume ...".
start_error volume_setup_error(const json& volume, const std::string& why,
                               bool is_retryable);

/// Whether a path below a volume stays in it, links apart.
bool is_relative_without_dot_dot(const std::string& path);

} // namespace troupe::k8s::node
