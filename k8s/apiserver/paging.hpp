#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::k8s::apiserver {

/// Where a list in pages goes on: after `key`, as of `version`.
struct page_mark {
  std::uint64_t version = 0;
  std::string key;
};

/// The opaque token a client sends back.
std::string to_token(const page_mark& m);
/// nullopt if it is none of ours.
std::optional<page_mark> from_token(const std::string& token);

} // namespace troupe::k8s::apiserver
