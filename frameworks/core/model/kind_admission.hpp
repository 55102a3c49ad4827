#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace troupe::core {

/// A webhook of a kind, as manifests and API servers name it. Empty: the kind
/// has none of its own.
struct admission_webhook {
  std::string configuration; ///< The object that it is an entry of.
  std::string name;          ///< Of the entry.
  std::string path;          ///< Where reviews are sent.
};

/// Chapter: how writes of its jobs are answered. Read by the webhooks
/// (actors/webhook). The defaults are the training operator's.
struct kind_admission {
  admission_webhook validating; ///< Empty: as the training operator names it.
  admission_webhook mutating;   ///< Empty: the kind has none.
  /// What the mutating webhook sets in `spec`.
  void (*set_defaults)(nlohmann::json& spec) = nullptr;
  /// An error in the kind's own words for the user who writes the job; it is
  /// reported alone. "" if there is none.
  std::string (*find_write_error)(const nlohmann::json& spec) = nullptr;
  /// A denial has its text as the reason, and no message.
  bool denies_by_reason = false;
};

} // namespace troupe::core
