#pragma once

#include <string>
#include <string_view>

namespace troupe::k8s {

/// SHA-256, as hex digits.
std::string sha256_hex(std::string_view bytes);

/// The same of SHA-1: for names that others have fixed, never for secrets.
std::string sha1_hex(std::string_view bytes);

/// HMAC with SHA-256, as hex digits. Nobody can make it without the key.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

} // namespace troupe::k8s
