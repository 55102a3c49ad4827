#include "tests/k8s/rest/certificates.hpp"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace {

struct freed {
  void operator()(BIO* b) const { BIO_free(b); }
  void operator()(X509* c) const { X509_free(c); }
  void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
};

template <class T>
using owned = std::unique_ptr<T, freed>;

template <class F>
std::string on_write_ended(F f) {
  owned<BIO> out{BIO_new(BIO_s_mem())};
  if (f(out.get()) != 1)
    throw std::runtime_error{"no PEM"};
  char* text = nullptr;
  auto size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

void add_extension(X509* to, int what, const std::string& value) {
  auto* e = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
  X509_add_ext(to, e, -1);
  X509_EXTENSION_free(e);
}

} // namespace

certificate make_certificate(const std::string& host) {
  owned<EVP_PKEY> key{EVP_EC_gen("P-256")};
  owned<X509> cert{X509_new()};
  X509_set_version(cert.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), 3600);
  X509_set_pubkey(cert.get(), key.get());
  auto* name = X509_get_subject_name(cert.get());
  X509_NAME_add_entry_by_txt(
      name, "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char*>(host.c_str()), -1, -1, 0);
  X509_set_issuer_name(cert.get(), name);
  bool address = host.find_first_not_of("0123456789.") == std::string::npos;
  add_extension(cert.get(), NID_subject_alt_name,
                (address ? "IP:" : "DNS:") + host);
  add_extension(cert.get(), NID_basic_constraints, "critical,CA:TRUE");
  if (X509_sign(cert.get(), key.get(), EVP_sha256()) == 0)
    throw std::runtime_error{"cannot sign"};
  return {on_write_ended(
              [&](BIO* out) { return PEM_write_bio_X509(out, cert.get()); }),
          on_write_ended([&](BIO* out) {
            return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0,
                                            nullptr, nullptr);
          })};
}

std::string encrypted(const std::string& key_pem) {
  owned<BIO> in{
      BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size()))};
  owned<EVP_PKEY> key{
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr)};
  return on_write_ended([&](BIO* out) {
    return PEM_write_bio_PKCS8PrivateKey(out, key.get(), EVP_aes_128_cbc(),
                                         "secret", 6, nullptr, nullptr);
  });
}
