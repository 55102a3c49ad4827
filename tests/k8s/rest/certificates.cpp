#include "tests/k8s/rest/certificates.hpp"

#include "k8s/general/openssl_pem.hpp"

#include <openssl/ec.h>

#include <stdexcept>

using troupe::k8s::openssl_ptr;

namespace {

void add_extension(X509* to, int what, const std::string& value) {
  auto* e = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
  X509_add_ext(to, e, -1);
  X509_EXTENSION_free(e);
}

certificate make_certificate(const std::string& host,
                             const certificate* issuer) {
  openssl_ptr<EVP_PKEY> key{EVP_EC_gen("P-256")};
  openssl_ptr<X509> cert{X509_new()};
  X509_set_version(cert.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), 3600);
  X509_set_pubkey(cert.get(), key.get());
  auto* name = X509_get_subject_name(cert.get());
  X509_NAME_add_entry_by_txt(
      name, "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char*>(host.c_str()), -1, -1, 0);
  auto issuer_cert =
      troupe::k8s::first_certificate_of(issuer ? issuer->cert : std::string{});
  auto issuer_key =
      troupe::k8s::private_key_of(issuer ? issuer->key : std::string{});
  X509_set_issuer_name(
      cert.get(), issuer ? X509_get_subject_name(issuer_cert.get()) : name);
  bool address = host.find_first_not_of("0123456789.") == std::string::npos
                 || host.find(':') != std::string::npos;
  add_extension(cert.get(), NID_subject_alt_name,
                (address ? "IP:" : "DNS:") + host);
  add_extension(cert.get(), NID_basic_constraints, "critical,CA:TRUE");
  if (X509_sign(cert.get(), issuer ? issuer_key.get() : key.get(), EVP_sha256())
      == 0)
    throw std::runtime_error{"cannot sign"};
  return {troupe::k8s::certificate_to_pem(cert.get()),
          troupe::k8s::private_key_to_pem(key.get())};
}

} // namespace

certificate make_certificate(const std::string& host) {
  return make_certificate(host, nullptr);
}

certificate make_certificate(const std::string& host,
                             const certificate& issuer) {
  return make_certificate(host, &issuer);
}

std::string encrypted(const std::string& key_pem) {
  auto key = troupe::k8s::private_key_of(key_pem);
  openssl_ptr<BIO> out{BIO_new(BIO_s_mem())};
  if (PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), EVP_aes_128_cbc(),
                                    "secret", 6, nullptr, nullptr)
      != 1)
    throw std::runtime_error{"no PEM"};
  return troupe::k8s::read_memory_bio(out.get());
}
