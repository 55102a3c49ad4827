#include "k8s/general/digest.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace troupe::k8s {

namespace {

using digest_bytes = std::array<unsigned char, EVP_MAX_MD_SIZE>;

std::string to_hex(const digest_bytes& bytes, unsigned size) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

} // namespace

std::string sha256_hex(std::string_view bytes) {
  digest_bytes out{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, EVP_sha256(),
             nullptr);
  return to_hex(out, size);
}

std::string sha1_hex(std::string_view bytes) {
  digest_bytes out{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, EVP_sha1(),
             nullptr);
  return to_hex(out, size);
}

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  digest_bytes out{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       out.data(), &size);
  return to_hex(out, size);
}

} // namespace troupe::k8s
