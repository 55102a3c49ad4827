#pragma once

#include <string>
#include <vector>

namespace troupe::config {

/// A file of the project that is written from the table of settings.
struct settings_document {
  std::string path; ///< In the project: "docs/settings.md".
  std::string text;
};

/// config/operator.yaml, which names each setting with its default, and
/// docs/settings.md.
std::vector<settings_document> settings_documents();

} // namespace troupe::config
