#include "k8s/http/certificate_reader.hpp"

#include "k8s/bounded_time.hpp"
#include "k8s/general/openssl_pem.hpp"

#include <boost/asio/ip/address.hpp>
#include <openssl/err.h>

#include <ctime>

namespace troupe::k8s::http {

namespace {

/// The epoch if the time is malformed.
time_point to_time_point_or_epoch(const ASN1_TIME* t) {
  std::tm fields{};
  if (ASN1_TIME_to_tm(t, &fields) != 1)
    return {};
  return to_bounded_time(::timegm(&fields));
}

certificate_info to_certificate_info(X509* c) {
  return {certificate_to_pem(c), to_time_point_or_epoch(X509_get0_notBefore(c)),
          to_time_point_or_epoch(X509_get0_notAfter(c)), X509_check_ca(c) == 1};
}

} // namespace

std::vector<certificate_info> read_certificates(const std::string& pem) {
  std::vector<certificate_info> result;
  auto text = make_read_bio(pem);
  while (auto c = next_certificate(text.get()))
    result.push_back(to_certificate_info(c.get()));
  ERR_clear_error();
  return result;
}

bool key_matches_certificate(const certificate_pair& pair) {
  auto c = first_certificate_of(pair.certificate);
  auto key = private_key_of(pair.key);
  bool matches = c && key && X509_check_private_key(c.get(), key.get()) == 1;
  ERR_clear_error();
  return matches;
}

bool is_signed_by(const std::string& certificate,
                  const std::string& authority) {
  auto c = first_certificate_of(certificate);
  auto a = first_certificate_of(authority);
  bool signed_by = c && a && X509_check_ca(a.get()) == 1
                   && X509_check_issued(a.get(), c.get()) == X509_V_OK
                   && X509_verify(c.get(), X509_get0_pubkey(a.get())) == 1;
  ERR_clear_error();
  return signed_by;
}

bool is_issued_for(const std::string& certificate, const std::string& host) {
  auto c = first_certificate_of(certificate);
  boost::system::error_code no_address;
  boost::asio::ip::make_address(host, no_address);
  bool issued =
      c
      && (no_address
              ? X509_check_host(c.get(), host.c_str(), 0, 0, nullptr) == 1
              : X509_check_ip_asc(c.get(), host.c_str(), 0) == 1);
  ERR_clear_error();
  return issued;
}

} // namespace troupe::k8s::http
