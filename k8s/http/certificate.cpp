#include "k8s/http/certificate.hpp"

#include "k8s/general/openssl_pem.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <openssl/ec.h>

#include <ifaddrs.h>
#include <netdb.h>
#include <set>

namespace troupe::k8s::http {

namespace {

namespace ip = boost::asio::ip;

/// "DNS:localhost,IP:127.0.0.1".
std::string
format_valid_subject_alternative_names(const std::vector<std::string>& names) {
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

bool append_v3_extension(X509* c, X509* issuer, int nid,
                         const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, c, nullptr, nullptr, 0);
  openssl_ptr<X509_EXTENSION> e{
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str())};
  return e && X509_add_ext(c, e.get(), -1) == 1;
}

bool append_extensions(X509* c, X509* issuer, const certificate_request& r) {
  auto add = [&](int nid, const std::string& value) {
    return append_v3_extension(c, issuer, nid, value);
  };
  auto names = format_valid_subject_alternative_names(r.names);
  return add(NID_subject_key_identifier, "hash")
         && add(NID_authority_key_identifier, "keyid:always")
         && add(NID_basic_constraints,
                r.is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE")
         && add(NID_key_usage, r.is_authority
                                   ? "critical,digitalSignature,keyCertSign"
                                   : "critical,digitalSignature,"
                                     "keyEncipherment")
         && (names.empty()
             || (add(NID_ext_key_usage, "serverAuth")
                 && add(NID_subject_alt_name, names)));
}

/// Some clients take a certificate only if the serial number is one of its own.
bool set_random_serial_number(X509* c) {
  openssl_ptr<BIGNUM> n{BN_new()};
  return n && BN_rand(n.get(), 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1
         && BN_to_ASN1_INTEGER(n.get(), X509_get_serialNumber(c)) != nullptr;
}

bool add_name_entry_unless_empty(X509* c, const char* field,
                                 const std::string& value) {
  auto* text = reinterpret_cast<const unsigned char*>(value.c_str());
  return value.empty()
         || X509_NAME_add_entry_by_txt(X509_get_subject_name(c), field,
                                       MBSTRING_UTF8, text, -1, -1, 0)
                == 1;
}

bool set_asn1_time(ASN1_TIME* field, time_point t) {
  return ASN1_TIME_set(field, std::chrono::system_clock::to_time_t(t))
         != nullptr;
}

/// Everything but the signature; `issuer` may be `c`.
bool fill_unsigned_certificate(X509* c, EVP_PKEY* key, X509* issuer,
                               const certificate_request& r) {
  return X509_set_version(c, 2) == 1 && set_random_serial_number(c)
         && set_asn1_time(X509_getm_notBefore(c), r.not_before)
         && set_asn1_time(X509_getm_notAfter(c), r.not_after)
         && X509_set_pubkey(c, key) == 1
         && add_name_entry_unless_empty(c, "O", r.organization)
         && add_name_entry_unless_empty(c, "CN", r.common_name)
         && X509_set_issuer_name(c, X509_get_subject_name(issuer)) == 1
         && append_extensions(c, issuer, r);
}

} // namespace

result<certificate_pair> make_certificate(const certificate_request& wanted,
                                          key_algorithm algorithm,
                                          const certificate_pair* issuer) {
  openssl_ptr<EVP_PKEY> key{algorithm == key_algorithm::rsa_2048
                                ? EVP_RSA_gen(2048)
                                : EVP_EC_gen("P-256")};
  openssl_ptr<X509> c{X509_new()};
  openssl_ptr<X509> authority;
  openssl_ptr<EVP_PKEY> authority_key;
  if (issuer) {
    authority = first_certificate_of(issuer->certificate);
    authority_key = private_key_of(issuer->key);
    if (!authority || !authority_key)
      return failure{ec::invalid, "the certificate authority is not PEM"};
  }
  if (!key || !c
      || !fill_unsigned_certificate(c.get(), key.get(),
                                    issuer ? authority.get() : c.get(), wanted)
      || X509_sign(c.get(), issuer ? authority_key.get() : key.get(),
                   EVP_sha256())
             == 0)
    return failure{ec::bug, "OpenSSL cannot make a certificate"};
  certificate_pair made{certificate_to_pem(c.get()),
                        private_key_to_pem(key.get())};
  if (made.certificate.empty() || made.key.empty())
    return failure{ec::bug, "OpenSSL cannot write a certificate as PEM"};
  return made;
}

std::vector<std::string> local_host_names_and_addresses() {
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
