#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::k8s::apiserver {

/// Where a list in pages goes on: after `key`, as of a version.
struct continue_token {
  std::uint64_t resource_version = 0;
  std::string key;
  /// How many objects lie after `key`, where that was counted: so each page
  /// does not count them anew.
  std::optional<std::uint64_t> remaining = std::nullopt;
};

/// The opaque token a client sends back.
std::string encode_continue_token(const continue_token& m);
/// nullopt if it is none of ours.
std::optional<continue_token> decode_continue_token(const std::string& token);

} // namespace troupe::k8s::apiserver
