#pragma once

#include <optional>
#include <string>

namespace troupe::k8s::rest {

/// Why no certificate authorities can be taken from this text, or nothing.
std::optional<std::string> fault_of_authorities(const std::string& pem);

/// Why this certificate and key cannot be used together, or nothing.
std::optional<std::string> fault_of_pair(const std::string& cert_pem,
                                         const std::string& key_pem);

/// Undoes base64, white space allowed; nullopt if it is none.
std::optional<std::string> from_base64(std::string text);
std::string to_base64(const std::string& bytes);

} // namespace troupe::k8s::rest
