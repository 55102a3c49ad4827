#pragma once

#include "k8s/json.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::k8s::apiserver {

/// A key that signs JSON Web Tokens (ES256) and recognizes its own.
class token_signer {
public:
  virtual ~token_signer() = default;
  /// The private key as PEM. A secret.
  virtual std::string private_key_pem() const = 0;
  virtual result<std::string> sign(const json& claims) const = 0;
  /// The claims; nullopt if this key has not signed them. Whether they are
  /// still valid is not checked.
  virtual std::optional<json>
  verify_signature_and_parse_claims(std::string_view token) const = 0;
};

/// A signer with a new key.
result<std::unique_ptr<token_signer>> make_token_signer();
/// A signer with a private key in PEM form, which must be ECDSA on P-256.
result<std::unique_ptr<token_signer>> make_token_signer(const std::string& key);

} // namespace troupe::k8s::apiserver
