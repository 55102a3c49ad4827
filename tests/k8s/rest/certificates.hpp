#pragma once

#include <string>

/// A certificate made on the spot, with its key, both as PEM text.
struct certificate {
  std::string cert;
  std::string key;
};

/// Signed by itself, so that it is its own authority; good for an hour. Names
/// one host, which may be an address.
certificate make_certificate(const std::string& host);

/// The same, signed by another one.
certificate make_certificate(const std::string& host,
                             const certificate& issuer);

/// The same key under a passphrase.
std::string encrypted(const std::string& key_pem);
