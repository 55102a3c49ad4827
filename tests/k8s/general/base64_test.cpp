#include "k8s/general/base64.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(base64_test)

BOOST_AUTO_TEST_CASE(bytes_come_back_as_they_went) {
  const struct {
    const char* bytes;
    const char* text;
  } rows[] = {{"", ""},
              {"f", "Zg=="},
              {"fo", "Zm8="},
              {"foo", "Zm9v"},
              {"foob", "Zm9vYg=="},
              {"fooba", "Zm9vYmE="},
              {"foobar", "Zm9vYmFy"}};
  for (const auto& r : rows) {
    BOOST_TEST(to_base64(r.bytes) == r.text);
    BOOST_TEST(from_base64(r.text).value_or("none") == r.bytes);
  }
}

BOOST_AUTO_TEST_CASE(white_space_is_allowed_and_nothing_else) {
  BOOST_TEST(from_base64("Zm9v\n YmFy\n").value_or("none") == "foobar");
  for (const char* text : {"Zm9", "Zm=v", "====", "Zm9v!mFy"})
    BOOST_TEST(!from_base64(text), text);
}

BOOST_AUTO_TEST_SUITE_END()
