#include "k8s/apiserver/access/json_web_token.hpp"

#include "k8s/general/base64.hpp"
#include "k8s/general/openssl_pem.hpp"

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>

namespace troupe::k8s::apiserver {

namespace {

struct signing_deleter {
  void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
  void operator()(ECDSA_SIG* s) const { ECDSA_SIG_free(s); }
};
template <class T>
using signing_ptr = std::unique_ptr<T, signing_deleter>;

/// Of each of a signature's two numbers.
constexpr int number_size = 32;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string to_base64url(std::string_view bytes) {
  auto text = to_base64(bytes);
  text.erase(std::min(text.find('='), text.size()));
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

std::optional<std::string> from_base64url(std::string_view encoded) {
  if (encoded.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789-_")
      != encoded.npos)
    return std::nullopt;
  std::string text{encoded};
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return from_base64(text);
}

/// The two numbers one after the other, as tokens have them, of what OpenSSL
/// makes.
std::optional<std::string> der_to_flat_signature(std::string_view der) {
  const auto* begin = bytes_of(der);
  signing_ptr<ECDSA_SIG> s{
      d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size()))};
  std::array<unsigned char, 2 * number_size> out{};
  if (!s || BN_bn2binpad(ECDSA_SIG_get0_r(s.get()), out.data(), number_size) < 0
      || BN_bn2binpad(ECDSA_SIG_get0_s(s.get()), out.data() + number_size,
                      number_size)
             < 0)
    return std::nullopt;
  return std::string{out.begin(), out.end()};
}

std::optional<std::string> flat_to_der_signature(std::string_view flat) {
  if (flat.size() != 2 * number_size)
    return std::nullopt;
  signing_ptr<ECDSA_SIG> s{ECDSA_SIG_new()};
  openssl_ptr<BIGNUM> first{BN_bin2bn(bytes_of(flat), number_size, nullptr)};
  openssl_ptr<BIGNUM> second{
      BN_bin2bn(bytes_of(flat) + number_size, number_size, nullptr)};
  if (!s || !first || !second
      || ECDSA_SIG_set0(s.get(), first.get(), second.get()) != 1)
    return std::nullopt;
  static_cast<void>(first.release());
  static_cast<void>(second.release());
  unsigned char* der = nullptr;
  auto size = i2d_ECDSA_SIG(s.get(), &der);
  if (size <= 0)
    return std::nullopt;
  std::string out{der, der + size};
  OPENSSL_free(der);
  return out;
}

/// Names the key in the head of a token.
std::string compute_key_id(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  auto size = i2d_PUBKEY(key, &der);
  if (size <= 0)
    return "";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(der, static_cast<std::size_t>(size), digest.data());
  OPENSSL_free(der);
  return to_base64url(
      {reinterpret_cast<const char*>(digest.data()), digest.size()});
}

class ecdsa_signer : public token_signer {
public:
  explicit ecdsa_signer(openssl_ptr<EVP_PKEY> key)
      : key_(std::move(key))
      , head_(to_base64url(
            to_text({{"alg", "ES256"}, {"kid", compute_key_id(key_.get())}}))) {
  }

  std::string private_key_pem() const override {
    return private_key_to_pem(key_.get());
  }

  result<std::string> sign(const json& claims) const override {
    auto text = head_ + "." + to_base64url(to_text(claims));
    signing_ptr<EVP_MD_CTX> c{EVP_MD_CTX_new()};
    std::string der(static_cast<std::size_t>(EVP_PKEY_size(key_.get())), '\0');
    auto size = der.size();
    bool done =
        c
        && EVP_DigestSignInit(c.get(), nullptr, EVP_sha256(), nullptr,
                              key_.get())
               == 1
        && EVP_DigestSign(c.get(), reinterpret_cast<unsigned char*>(der.data()),
                          &size, bytes_of(text), text.size())
               == 1;
    auto flat = done ? der_to_flat_signature({der.data(), size}) : std::nullopt;
    ERR_clear_error();
    if (!flat)
      return failure{ec::bug, "OpenSSL cannot sign a token"};
    return text + "." + to_base64url(*flat);
  }

  std::optional<json>
  verify_signature_and_parse_claims(std::string_view token) const override {
    auto second = token.rfind('.');
    // The head is ours to the byte: so nobody else chooses the algorithm.
    if (second == token.npos || second <= head_.size()
        || token.compare(0, head_.size(), head_) != 0
        || token[head_.size()] != '.')
      return std::nullopt;
    auto text = token.substr(0, second);
    auto flat = from_base64url(token.substr(second + 1));
    auto der = flat ? flat_to_der_signature(*flat) : std::nullopt;
    signing_ptr<EVP_MD_CTX> c{EVP_MD_CTX_new()};
    bool good = der && c
                && EVP_DigestVerifyInit(c.get(), nullptr, EVP_sha256(), nullptr,
                                        key_.get())
                       == 1
                && EVP_DigestVerify(c.get(), bytes_of(*der), der->size(),
                                    bytes_of(text), text.size())
                       == 1;
    ERR_clear_error();
    if (!good)
      return std::nullopt;
    auto claims = from_base64url(text.substr(head_.size() + 1));
    auto parsed = claims ? parse_json_or_null(*claims) : json{};
    return parsed.is_object() ? std::optional{std::move(parsed)} : std::nullopt;
  }

private:
  openssl_ptr<EVP_PKEY> key_;
  std::string head_;
};

} // namespace

result<std::unique_ptr<token_signer>> make_token_signer() {
  openssl_ptr<EVP_PKEY> key{EVP_EC_gen("P-256")};
  if (!key)
    return failure{ec::bug, "OpenSSL cannot make a key for tokens"};
  return std::unique_ptr<token_signer>{
      std::make_unique<ecdsa_signer>(std::move(key))};
}

result<std::unique_ptr<token_signer>>
make_token_signer(const std::string& key) {
  auto read = private_key_of(key);
  ERR_clear_error();
  if (!read || EVP_PKEY_base_id(read.get()) != EVP_PKEY_EC
      || EVP_PKEY_bits(read.get()) != 256)
    return failure{ec::invalid, "there is no ECDSA key on P-256 as PEM"};
  return std::unique_ptr<token_signer>{
      std::make_unique<ecdsa_signer>(std::move(read))};
}

} // namespace troupe::k8s::apiserver
