#include "k8s/apiserver/reading/continue_token.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(continue_token_test)

BOOST_AUTO_TEST_CASE(a_token_gives_back_version_and_key) {
  const continue_token tokens[] = {
      {0, ""},
      {7, "ns/name"},
      {7, "ns/name", 0},
      {~std::uint64_t{0}, "a:b/\xff\x01", ~std::uint64_t{0}}};
  for (const auto& t : tokens) {
    auto text = encode_continue_token(t);
    BOOST_TEST(text.find_first_not_of("0123456789abcdef") == text.npos);
    auto decoded = decode_continue_token(text);
    BOOST_REQUIRE(decoded);
    BOOST_TEST(decoded->resource_version == t.resource_version);
    BOOST_TEST(decoded->key == t.key);
    BOOST_TEST((decoded->remaining == t.remaining));
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_token_is_refused) {
  const auto good = encode_continue_token({7, "ns/name"});
  for (const auto& wrong :
       {std::string{}, std::string{"x"}, good.substr(1), good.substr(0, 6),
        "zz" + good, good + "0", "+0" + good.substr(2)})
    BOOST_TEST(!decode_continue_token(wrong), wrong);
}

BOOST_AUTO_TEST_SUITE_END()
