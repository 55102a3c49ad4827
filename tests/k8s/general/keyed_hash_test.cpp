#include "k8s/general/keyed_hash.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(keyed_hash_test)

namespace {

const hash_key published{0x0706050403020100u, 0x0f0e0d0c0b0a0908u};

} // namespace

BOOST_AUTO_TEST_CASE(it_is_the_published_function) {
  std::string bytes;
  for (char c = 0; c < 15; ++c)
    bytes += c;
  BOOST_TEST(keyed_hash(published, bytes) == 0xa129ca6149be45e5u);
  BOOST_TEST(keyed_hash(published, "") == 0x726fdb47dd0e0e31u);
  BOOST_TEST(keyed_hash(published, bytes.substr(0, 8)) == 0x93f5f5799a932462u);
}

BOOST_AUTO_TEST_CASE(texts_are_told_apart_by_where_they_end) {
  BOOST_TEST(keyed_hash(published, {"ab", "c"})
             != keyed_hash(published, {"a", "bc"}));
  BOOST_TEST(keyed_hash(published, {"a", ""}) != keyed_hash(published, {"a"}));
  BOOST_TEST(keyed_hash(published, {"1:a"}) != keyed_hash(published, {"a"}));
}

BOOST_AUTO_TEST_CASE(another_key_gives_another_hash) {
  auto key = make_random_hash_key();
  BOOST_TEST((key != make_random_hash_key()));
  BOOST_TEST(keyed_hash(key, {"a"}) != keyed_hash(published, {"a"}));
}

BOOST_AUTO_TEST_SUITE_END()
