#pragma once

#include <optional>
#include <string>

namespace troupe::k8s::rest {

/// Why no certificate authorities can be taken from this text, or nothing.
std::optional<std::string> check_authorities_pem(const std::string& pem);

/// Why this certificate and key cannot be used together, or nothing.
std::optional<std::string> check_key_pair(const std::string& cert_pem,
                                          const std::string& key_pem);

} // namespace troupe::k8s::rest
