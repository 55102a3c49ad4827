#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::k8s::apiserver {

/// Where a list in pages is continued: after `key`, at a version.
struct continue_token {
  std::uint64_t resource_version = 0;
  std::string key;
  /// How many objects come after `key`, if they were counted, so that not every
  /// page counts them anew.
  std::optional<std::uint64_t> remaining = std::nullopt;
};

/// The opaque token a client sends back.
std::string encode_continue_token(const continue_token& m);
/// nullopt if it is not one of ours.
std::optional<continue_token> decode_continue_token(const std::string& token);

} // namespace troupe::k8s::apiserver
