#include "k8s/apiserver/schema/text_pattern.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(text_pattern_test)

BOOST_AUTO_TEST_CASE(a_part_of_the_text_is_enough) {
  auto pattern = compile_text_pattern("^a+$|b");
  BOOST_REQUIRE(pattern);
  BOOST_TEST(matches(*pattern, "aa"));
  BOOST_TEST(matches(*pattern, "xbx"));
  BOOST_TEST(!matches(*pattern, "ax"));
}

BOOST_AUTO_TEST_CASE(long_texts_are_not_looked_at) {
  auto pattern = compile_text_pattern("^(a|b)*$");
  BOOST_REQUIRE(pattern);
  BOOST_TEST(matches(*pattern, std::string(1'000'000, 'c')));
}

BOOST_AUTO_TEST_CASE(what_is_no_expression_is_no_pattern) {
  BOOST_TEST(!compile_text_pattern("(?<x>a)"));
  BOOST_TEST(!compile_text_pattern("("));
}

BOOST_AUTO_TEST_SUITE_END()
