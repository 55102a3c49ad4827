#pragma once

#include "config/logging.hpp"
#include "k8s/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

// The log levels of components, as the admin endpoint reads and writes them.

/// A change of the level of one component, or of all.
struct log_level_change {
  std::string component;           ///< "": all.
  std::optional<log::level> level; ///< Nullopt: as the general level.
};

/// Reads {"component": "watcher", "level": "debug"}. An error names the field
/// and what it may be.
k8s::result<log_level_change> parse_log_level_change(const std::string& body);

void apply_log_level_change(const log_level_change& change);

/// {"level": "info", "components": {"watcher": "debug", ...}}, all components.
nlohmann::json to_json(const log::levels& levels);

} // namespace troupe::actors
