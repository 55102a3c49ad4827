#pragma once

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace troupe::k8s {

// The parts of OpenSSL that readers and makers of certificates need.

struct openssl_deleter {
  void operator()(BIO* b) const { BIO_free(b); }
  void operator()(BIGNUM* n) const { BN_free(n); }
  void operator()(X509* c) const { X509_free(c); }
  void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
  void operator()(X509_EXTENSION* e) const { X509_EXTENSION_free(e); }
};

template <class T>
using openssl_ptr = std::unique_ptr<T, openssl_deleter>;

/// Reads the text, which must outlive it.
inline openssl_ptr<BIO> make_read_bio(const std::string& text) {
  return openssl_ptr<BIO>{
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

/// The bytes that were written into a memory BIO.
inline std::string read_memory_bio(BIO* memory) {
  char* text = nullptr;
  auto size = BIO_get_mem_data(memory, &text);
  return {text, static_cast<std::size_t>(size)};
}

/// A password callback; without one OpenSSL asks at the terminal.
inline int refuse_password(char*, int, int, void*) {
  return 0;
}

/// The next certificate in PEM form, or null. OpenSSL's error queue is not
/// cleared.
inline openssl_ptr<X509> next_certificate(BIO* text) {
  return openssl_ptr<X509>{
      PEM_read_bio_X509(text, nullptr, refuse_password, nullptr)};
}

inline openssl_ptr<X509> first_certificate_of(const std::string& pem) {
  return next_certificate(make_read_bio(pem).get());
}

/// The private key in PEM form; null if there is none or it is encrypted.
inline openssl_ptr<EVP_PKEY> private_key_of(const std::string& pem) {
  return openssl_ptr<EVP_PKEY>{PEM_read_bio_PrivateKey(
      make_read_bio(pem).get(), nullptr, refuse_password, nullptr)};
}

/// The certificate in PEM form; "" if OpenSSL fails.
inline std::string certificate_to_pem(X509* certificate) {
  openssl_ptr<BIO> out{BIO_new(BIO_s_mem())};
  if (!out || PEM_write_bio_X509(out.get(), certificate) != 1)
    return "";
  return read_memory_bio(out.get());
}

/// The private key in PEM form, not encrypted; "" if OpenSSL fails.
inline std::string private_key_to_pem(EVP_PKEY* key) {
  openssl_ptr<BIO> out{BIO_new(BIO_s_mem())};
  if (!out
      || PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr,
                                  nullptr)
             != 1)
    return "";
  return read_memory_bio(out.get());
}

} // namespace troupe::k8s
