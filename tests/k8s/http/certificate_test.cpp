#include "k8s/http/certificate.hpp"
#include "k8s/http/certificate_reader.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(certificate_test)

namespace {

constexpr time_point start{std::chrono::seconds{1'770'000'000}};

const std::string ends_in_9966 =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBbzCCARWgAwIBAgIUTXlS4unK03CWck7pKA/wnmkk07QwCgYIKoZIzj0EAwIw\n"
    "DDEKMAgGA1UEAwwBeDAgFw0yNjExMjYxNzEzMDdaGA85OTY2MTEwMTE3MTMwN1ow\n"
    "DDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABP3yKeyAh4aj\n"
    "McBh2LtyodsdsAowcQmBjr5yBFF1jZLiuZ/z7+na1H0CregzWC9one7He5Sf4P37\n"
    "C7KQoE/M7m2jUzBRMB0GA1UdDgQWBBQDP7AiZAchz7Isgzbi1ztaIuYvDjAfBgNV\n"
    "HSMEGDAWgBQDP7AiZAchz7Isgzbi1ztaIuYvDjAPBgNVHRMBAf8EBTADAQH/MAoG\n"
    "CCqGSM49BAMCA0gAMEUCIBDikGsWXfT+x9Qjw+jHgr0qzPAE1G+d22OlBJl3rJ0M\n"
    "AiEA8ENQxwZGLGKC4VQTXvv4YfATBXykCcYrXHkY3O9NQMo=\n"
    "-----END CERTIFICATE-----\n";

http::certificate_pair made(const http::certificate_request& wanted,
                            const http::certificate_pair* issuer = nullptr) {
  auto pair =
      http::make_certificate(wanted, http::key_algorithm::ecdsa_p256, issuer);
  BOOST_REQUIRE(pair);
  return *pair;
}

http::certificate_pair authority(const char* name = "ca") {
  return made({name, "org", {}, start, start + 24h, true});
}

http::certificate_pair serving(const http::certificate_pair& issuer) {
  return made({"a.b.svc", "", {"a.b.svc", "10.0.0.1"}, start, start + 1h},
              &issuer);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_certificate_contains_what_was_asked_for) {
  auto ca = authority();
  auto pair = serving(ca);
  auto all = http::read_certificates(pair.certificate + ca.certificate);
  BOOST_REQUIRE_EQUAL(all.size(), 2u);
  BOOST_TEST(all[0].pem == pair.certificate);
  BOOST_TEST(all[1].pem == ca.certificate);
  BOOST_TEST(!all[0].is_authority);
  BOOST_TEST(all[1].is_authority);
  BOOST_TEST((all[0].not_before == start));
  BOOST_TEST((all[0].not_after == start + 1h));
  BOOST_TEST((all[1].not_after == start + 24h));
  for (const auto& [host, yes] :
       {std::pair{"a.b.svc", true}, std::pair{"10.0.0.1", true},
        std::pair{"x.b.svc", false}, std::pair{"10.0.0.2", false},
        std::pair{"", false}})
    BOOST_TEST(http::is_issued_for(pair.certificate, host) == yes, host);
}

BOOST_AUTO_TEST_CASE(signatures_and_keys_are_checked) {
  auto ca = authority();
  auto other = authority(); // The same name, another key.
  auto pair = serving(ca);
  BOOST_TEST(http::is_signed_by(pair.certificate, ca.certificate));
  BOOST_TEST(!http::is_signed_by(pair.certificate, other.certificate));
  BOOST_TEST(
      !http::is_signed_by(pair.certificate, authority("another").certificate));
  // A certificate of a server signs nothing.
  auto forged = serving(pair);
  BOOST_TEST(!http::is_signed_by(forged.certificate, pair.certificate));
  BOOST_TEST(http::is_signed_by(ca.certificate, ca.certificate));
  BOOST_TEST(http::key_matches_certificate(pair));
  BOOST_TEST(!http::key_matches_certificate({pair.certificate, ca.key}));
}

BOOST_AUTO_TEST_CASE(what_is_no_certificate_is_none) {
  auto ca = authority();
  for (const std::string& text :
       {std::string{}, std::string{"rubbish"}, ca.key,
        std::string{"-----BEGIN CERTIFICATE-----\nAAAA\n"
                    "-----END CERTIFICATE-----\n"}}) {
    BOOST_TEST(http::read_certificates(text).empty());
    BOOST_TEST(!http::key_matches_certificate({text, ca.key}));
    BOOST_TEST(!http::key_matches_certificate({ca.certificate, text})
               == (text != ca.key));
    BOOST_TEST(!http::is_signed_by(text, ca.certificate));
    BOOST_TEST(!http::is_signed_by(ca.certificate, text));
    BOOST_TEST(!http::is_issued_for(text, "a.b.svc"));
    http::certificate_pair broken{text, text};
    BOOST_TEST(!http::make_certificate({"x", "", {}, start, start + 1h},
                                       http::key_algorithm::ecdsa_p256,
                                       &broken));
  }
}

// A certificate that never expires ends in the year 9999, or near it.
BOOST_AUTO_TEST_CASE(a_certificate_may_end_after_all_times) {
  auto all = http::read_certificates(ends_in_9966);
  BOOST_REQUIRE_EQUAL(all.size(), 1u);
  BOOST_TEST((all[0].not_before > start));
  BOOST_TEST((all[0].not_after == latest_time));
}

BOOST_AUTO_TEST_CASE(keys_may_be_rsa) {
  auto pair = http::make_certificate({"x", "", {"x"}, start, start + 1h},
                                     http::key_algorithm::rsa_2048);
  BOOST_REQUIRE(pair);
  BOOST_TEST(http::key_matches_certificate(*pair));
  BOOST_TEST(pair->key.size() > 1500u); // Larger than any of P-256.
}

BOOST_AUTO_TEST_SUITE_END()
