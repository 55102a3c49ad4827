#pragma once

#include <string>
#include <vector>

namespace troupe::config {

/// A file of the project that is written from the table of settings.
struct settings_document {
  std::string path; ///< In the project: "docs/settings.md".
  std::string text;
};

/// The files config/operator.yaml, which has each setting at its default, and
/// docs/settings.md.
std::vector<settings_document> settings_documents();

} // namespace troupe::config
