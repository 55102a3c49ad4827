#include "k8s/rest/pem.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <memory>

namespace troupe::k8s::rest {

namespace {

struct freed {
  void operator()(BIO* b) const { BIO_free(b); }
  void operator()(X509* c) const { X509_free(c); }
  void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
};

std::unique_ptr<BIO, freed> memory_bio_of(const std::string& text) {
  return std::unique_ptr<BIO, freed>{
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

/// OpenSSL would ask for it at the terminal.
int refuse_encrypted_key(char*, int, int, void*) {
  return 0;
}

std::unique_ptr<X509, freed> first_certificate(const std::string& pem) {
  auto in = memory_bio_of(pem);
  return std::unique_ptr<X509, freed>{
      PEM_read_bio_X509(in.get(), nullptr, refuse_encrypted_key, nullptr)};
}

} // namespace

std::optional<std::string> check_authorities(const std::string& pem) {
  auto first = first_certificate(pem);
  ERR_clear_error();
  if (!first)
    return "holds no certificate in PEM form";
  return std::nullopt;
}

std::optional<std::string> check_key_pair(const std::string& cert_pem,
                                          const std::string& key_pem) {
  auto cert = first_certificate(cert_pem);
  auto in = memory_bio_of(key_pem);
  std::unique_ptr<EVP_PKEY, freed> key{PEM_read_bio_PrivateKey(
      in.get(), nullptr, refuse_encrypted_key, nullptr)};
  bool fit = cert && key && X509_check_private_key(cert.get(), key.get()) == 1;
  ERR_clear_error();
  if (!cert)
    return "client-certificate holds no certificate in PEM form";
  if (!key)
    return key_pem.find("ENCRYPTED") != std::string::npos
               ? "client-key is encrypted, which is not supported"
               : "client-key holds no private key in PEM form";
  if (!fit)
    return "client-key does not belong to client-certificate";
  return std::nullopt;
}

} // namespace troupe::k8s::rest
