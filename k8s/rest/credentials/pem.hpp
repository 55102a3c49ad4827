#pragma once

#include <optional>
#include <string>

namespace troupe::k8s::rest {

/// Why the text has no certificate of an authority, or nullopt. Only the first
/// certificate is looked at.
std::optional<std::string>
find_first_authority_pem_error(const std::string& pem);

/// Why this certificate and key cannot be used together, or nullopt.
std::optional<std::string> find_key_pair_error(const std::string& cert_pem,
                                               const std::string& key_pem);

} // namespace troupe::k8s::rest
