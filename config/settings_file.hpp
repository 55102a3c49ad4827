#pragma once

#include "config/settings.hpp"

#include <string>

namespace troupe::config {

/// The layer of a file: one YAML mapping from names of settings to scalars (or
/// to a list of scalars if the setting is a list). Unknown and repeated keys
/// are errors that name file and line, and the nearest known key.
k8s::result<assignments> read_settings_file(const std::string& path);

/// The same, from text; `path` is used in messages only.
k8s::result<assignments> parse_settings_yaml(const std::string& text,
                                             const std::string& path);

} // namespace troupe::config
