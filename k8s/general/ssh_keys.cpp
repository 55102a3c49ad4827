#include "k8s/general/ssh_keys.hpp"

#include "k8s/general/base64.hpp"
#include "k8s/general/openssl_pem.hpp"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>

#include <cstdint>

namespace troupe::k8s {

namespace {

constexpr char key_type[] = "ecdsa-sha2-nistp521";
constexpr char curve_name[] = "nistp521";

/// As RFC 4251 writes one: its length in four bytes, and its bytes.
void append_ssh_string(std::string& out, const std::string& text) {
  auto size = static_cast<std::uint32_t>(text.size());
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>((size >> shift) & 0xff);
  out += text;
}

/// SEC 1's form of the key, not PKCS #8's; "" if OpenSSL fails.
std::string private_key_to_sec1_pem(EVP_PKEY* key) {
  openssl_ptr<BIO> out{BIO_new(BIO_s_mem())};
  if (!out
      || PEM_write_bio_PrivateKey_traditional(out.get(), key, nullptr, nullptr,
                                              0, nullptr, nullptr)
             != 1)
    return "";
  return read_memory_bio(out.get());
}

/// The public point, not compressed; "" if OpenSSL fails.
std::string public_point(EVP_PKEY* key) {
  // Two coordinates of 66 bytes, after one byte that says so.
  unsigned char point[133];
  std::size_t size = 0;
  if (EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point,
                                      sizeof point, &size)
          != 1
      || size != sizeof point)
    return "";
  return {reinterpret_cast<const char*>(point), size};
}

} // namespace

result<ssh_key_pair> make_ssh_keys() {
  openssl_ptr<EVP_PKEY> key{EVP_EC_gen("P-521")};
  ssh_key_pair pair;
  std::string point;
  if (key) {
    pair.private_key = private_key_to_sec1_pem(key.get());
    point = public_point(key.get());
  }
  if (pair.private_key.empty() || point.empty()) {
    ERR_clear_error();
    return failure{ec::bug, "OpenSSL makes no SSH keys"};
  }
  std::string blob;
  append_ssh_string(blob, key_type);
  append_ssh_string(blob, curve_name);
  append_ssh_string(blob, point);
  pair.public_key = std::string{key_type} + " " + to_base64(blob) + "\n";
  return pair;
}

} // namespace troupe::k8s
