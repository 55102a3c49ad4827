#include "k8s/uri.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(uri_test)

BOOST_AUTO_TEST_CASE(percent_encoding_is_undone_or_refused) {
  struct row {
    const char* text;
    const char* path;
    const char* query;
  };
  const char* refused = nullptr;
  const row rows[] = {{"a%20b", "a b", "a b"},
                      {"a+b", "a+b", "a b"},
                      {"%e4%BD", "\xe4\xbd", "\xe4\xbd"},
                      {"%2F", "/", "/"},
                      {"%", refused, refused},
                      {"%2", refused, refused},
                      {"%zz", refused, refused},
                      {"a%00b", refused, refused}};
  for (const auto& r : rows)
    for (bool query : {false, true}) {
      const char* expected = query ? r.query : r.path;
      auto decoded = percent_decode(r.text, query);
      BOOST_TEST(decoded.has_value() == (expected != nullptr), r.text);
      if (decoded && expected)
        BOOST_TEST(*decoded == expected);
    }
}

BOOST_AUTO_TEST_CASE(only_what_is_plain_everywhere_stays_as_it_is) {
  struct row {
    const char* text;
    const char* also_plain;
    const char* encoded;
  };
  const row rows[] = {{"aZ09-._~", "", "aZ09-._~"},
                      {"a b+c", "", "a%20b%2Bc"},
                      {"/v1/x?y&z=%", "", "%2Fv1%2Fx%3Fy%26z%3D%25"},
                      {"/v1/a b", "/", "/v1/a%20b"},
                      {"\xe4\xbd", "", "%E4%BD"}};
  for (const auto& r : rows) {
    auto encoded = percent_encode(r.text, r.also_plain);
    BOOST_TEST(encoded == r.encoded);
    for (bool is_query : {false, true})
      BOOST_TEST(percent_decode(encoded, is_query).value() == r.text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
