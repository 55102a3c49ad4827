#pragma once

#include <optional>
#include <string>

namespace troupe::k8s::rest {

/// Why the text has no certificate of an authority, or nullopt. Only the first
/// certificate is looked at.
std::optional<std::string> check_authorities_pem(const std::string& pem);

/// Why this certificate and key cannot be used together, or nullopt.
std::optional<std::string> check_key_pair(const std::string& cert_pem,
                                          const std::string& key_pem);

} // namespace troupe::k8s::rest
