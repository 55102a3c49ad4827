#include "k8s/http/certificate.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ifaddrs.h>
#include <memory>
#include <netdb.h>
#include <set>

namespace troupe::k8s::http {

namespace {

namespace ip = boost::asio::ip;

struct freed {
  void operator()(BIO* b) const { BIO_free(b); }
  void operator()(BIGNUM* n) const { BN_free(n); }
  void operator()(X509* c) const { X509_free(c); }
  void operator()(EVP_PKEY* k) const { EVP_PKEY_free(k); }
  void operator()(X509_EXTENSION* e) const { X509_EXTENSION_free(e); }
};

template <class T>
using owned = std::unique_ptr<T, freed>;

constexpr long year = 365L * 24 * 3600;

/// "DNS:localhost,IP:127.0.0.1".
std::string alternative_names(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) {
    boost::system::error_code no_address;
    auto address = ip::make_address(name, no_address);
    bool host = !name.empty()
                && name.find_first_not_of(
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789-.")
                       == name.npos;
    if (!no_address)
      out += (out.empty() ? "IP:" : ",IP:") + address.to_string();
    else if (host)
      out += (out.empty() ? "DNS:" : ",DNS:") + name;
  }
  return out;
}

bool append_v3_extension(X509* c, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, c, c, nullptr, nullptr, 0);
  owned<X509_EXTENSION> e{
      X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str())};
  return e && X509_add_ext(c, e.get(), -1) == 1;
}

/// Some clients take a certificate only if the serial number is one of its own.
bool set_random_serial_number(X509* c) {
  owned<BIGNUM> n{BN_new()};
  return n && BN_rand(n.get(), 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1
         && BN_to_ASN1_INTEGER(n.get(), X509_get_serialNumber(c)) != nullptr;
}

bool fill_and_sign(X509* c, EVP_PKEY* key, const std::string& names) {
  auto* subject = X509_get_subject_name(c);
  auto* word = reinterpret_cast<const unsigned char*>("troupe");
  return X509_set_version(c, 2) == 1 && set_random_serial_number(c)
         && X509_gmtime_adj(X509_getm_notBefore(c), -3600)
         && X509_gmtime_adj(X509_getm_notAfter(c), year)
         && X509_set_pubkey(c, key) == 1
         && X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, word, -1,
                                       -1, 0)
                == 1
         && X509_set_issuer_name(c, subject) == 1
         && append_v3_extension(c, NID_subject_key_identifier, "hash")
         && append_v3_extension(c, NID_authority_key_identifier, "keyid:always")
         && append_v3_extension(c, NID_basic_constraints, "critical,CA:TRUE")
         && append_v3_extension(c, NID_key_usage,
                                "critical,digitalSignature,keyCertSign")
         && append_v3_extension(c, NID_ext_key_usage, "serverAuth")
         && append_v3_extension(c, NID_subject_alt_name, names)
         && X509_sign(c, key, EVP_sha256()) != 0;
}

std::string text_in_memory_bio(BIO* b) {
  char* text = nullptr;
  auto size = BIO_get_mem_data(b, &text);
  return {text, static_cast<std::size_t>(size)};
}

} // namespace

result<certificate_pair>
make_self_signed_certificate(const std::vector<std::string>& names) {
  owned<EVP_PKEY> key{EVP_EC_gen("P-256")};
  owned<X509> c{X509_new()};
  owned<BIO> cert_pem{BIO_new(BIO_s_mem())};
  owned<BIO> key_pem{BIO_new(BIO_s_mem())};
  if (!key || !c || !cert_pem || !key_pem
      || !fill_and_sign(c.get(), key.get(), alternative_names(names))
      || PEM_write_bio_X509(cert_pem.get(), c.get()) != 1
      || PEM_write_bio_PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0,
                                  nullptr, nullptr)
             != 1)
    return failure{ec::bug, "OpenSSL could not make a certificate"};
  return certificate_pair{text_in_memory_bio(cert_pem.get()),
                          text_in_memory_bio(key_pem.get())};
}

std::vector<std::string> local_host_names() {
  std::set<std::string> all{"localhost", "127.0.0.1", "::1"};
  boost::system::error_code unknown;
  all.insert(ip::host_name(unknown));
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) == 0) {
    for (auto* i = list; i; i = i->ifa_next) {
      if (!i->ifa_addr
          || (i->ifa_addr->sa_family != AF_INET
              && i->ifa_addr->sa_family != AF_INET6))
        continue;
      auto size = i->ifa_addr->sa_family == AF_INET ? sizeof(sockaddr_in)
                                                    : sizeof(sockaddr_in6);
      char text[NI_MAXHOST];
      if (::getnameinfo(i->ifa_addr, static_cast<socklen_t>(size), text,
                        sizeof text, nullptr, 0, NI_NUMERICHOST)
          == 0)
        all.insert(std::string{text}.substr(0, std::string{text}.find('%')));
    }
    ::freeifaddrs(list);
  }
  return {all.begin(), all.end()};
}

} // namespace troupe::k8s::http
