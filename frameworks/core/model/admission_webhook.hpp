#pragma once

#include <string>

namespace troupe::core {

/// A webhook of a kind, as manifests and API servers name it. Empty: the kind
/// has none of its own.
struct admission_webhook {
  std::string configuration; ///< The object that it is an entry of.
  std::string name;          ///< Of the entry.
  std::string path;          ///< Where reviews are sent to.
};

} // namespace troupe::core
