#include "k8s/apiserver/access/json_web_token.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(json_web_token_test)

namespace {

std::unique_ptr<token_signer>
signer_of(result<std::unique_ptr<token_signer>> made) {
  BOOST_REQUIRE(made);
  return std::move(*made);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_key_recognizes_what_it_has_signed) {
  auto signer = signer_of(make_token_signer());
  // Of a hundred signatures some have numbers that begin with zeros.
  for (int i = 0; i < 100; ++i) {
    json claims{{"sub", "x"}, {"n", i}, {"text", "\xc3\xa4~?>"}};
    auto token = signer->sign(claims);
    BOOST_REQUIRE(token);
    auto read = signer->verify_signature_and_parse_claims(*token);
    BOOST_REQUIRE(read);
    BOOST_TEST(*read == claims);
  }
}

BOOST_AUTO_TEST_CASE(what_was_changed_or_signed_by_others_is_not_recognized) {
  auto signer = signer_of(make_token_signer());
  auto other = signer_of(make_token_signer());
  auto token = *signer->sign({{"sub", "x"}});
  BOOST_TEST(
      !signer->verify_signature_and_parse_claims(*other->sign({{"sub", "x"}})));
  for (std::size_t i = 0; i < token.size(); ++i) {
    auto changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    // The last letter of a signature has bits that mean nothing.
    if (i + 1 < token.size())
      BOOST_TEST(!signer->verify_signature_and_parse_claims(changed), i);
    BOOST_TEST(!signer->verify_signature_and_parse_claims(token.substr(0, i)),
               i);
  }
  for (const char* text : {"", ".", "..", "...", "a.b.c",
                           "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.", // alg: none
                           "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.AAAA"})
    BOOST_TEST(!signer->verify_signature_and_parse_claims(text), text);
}

BOOST_AUTO_TEST_CASE(a_key_that_was_kept_is_the_same) {
  auto signer = signer_of(make_token_signer());
  auto again = signer_of(make_token_signer(signer->private_key_pem()));
  BOOST_TEST(again->private_key_pem() == signer->private_key_pem());
  BOOST_TEST(
      again->verify_signature_and_parse_claims(*signer->sign({{"sub", "x"}}))
          .has_value());
  for (const char* text : {"", "nonsense", "-----BEGIN PRIVATE KEY-----\n"})
    BOOST_TEST(!make_token_signer(std::string{text}), text);
}

BOOST_AUTO_TEST_SUITE_END()
