#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace troupe::core {

/// A webhook of a kind, as manifests and API servers name it. Empty: the kind
/// has none of its own.
struct admission_webhook {
  std::string configuration; ///< The object that it is an entry of.
  std::string name;          ///< Of the entry.
  std::string path;          ///< Where reviews are sent to.
};

/// Chapter: what is answered to the one who writes a job. Read by the webhooks
/// (actors/webhook). The defaults are the training operator's.
struct kind_admission {
  admission_webhook validating; ///< Empty: as the training operator names it.
  admission_webhook mutating;   ///< Empty: the kind has none.
  /// What the mutating webhook sets in `spec`.
  void (*set_defaults)(nlohmann::json& spec) = nullptr;
  /// An error of its own wording for the one who writes the job, reported
  /// alone; "" if there is none.
  std::string (*find_write_error)(const nlohmann::json& spec) = nullptr;
  /// A denial has its text as the reason, and no message.
  bool denies_by_reason = false;
};

} // namespace troupe::core
