#pragma once

#include "config/settings.hpp"

#include <string>

namespace troupe::config {

/// The layer of a file: one YAML mapping from names of settings to scalars (to
/// a list of scalars where the setting is one). Unknown and repeated keys are
/// errors that name file, line and the nearest known key.
k8s::result<assignments> read_settings_file(const std::string& path);

/// The same for text; `path` is for messages.
k8s::result<assignments> parse_settings(const std::string& text,
                                        const std::string& path);

} // namespace troupe::config
