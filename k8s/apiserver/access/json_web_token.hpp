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
  /// The claims; nullopt if this key has not signed them. Whether they hold is
  /// another question.
  virtual std::optional<json>
  verify_and_parse_claims(std::string_view token) const = 0;
};

/// With a new key.
result<std::unique_ptr<token_signer>> make_token_signer();
/// With a private key in PEM form: ECDSA on P-256.
result<std::unique_ptr<token_signer>> make_token_signer(const std::string& key);

} // namespace troupe::k8s::apiserver
