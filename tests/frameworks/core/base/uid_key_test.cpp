#include "frameworks/core/base/uid_key.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using troupe::core::uid_key;

BOOST_AUTO_TEST_SUITE(uid_key_test)

BOOST_AUTO_TEST_CASE(keys_are_equal_if_the_texts_are) {
  const std::vector<std::string> uids{
      "",
      "a",
      "job-uid",
      "01234567-89ab-cdef-0123-456789abcdef",
      "01234567-89ab-cdef-0123-456789abcdee", // Another last digit,
      "f1234567-89ab-cdef-0123-456789abcdef", // another first,
      "01234567-89ab-cdef-0123-456789abcdeF", // a capital one,
      "01234567-89ab-cdef-0123-456789abcdeg", // none,
      "01234567-89ab-cdef-01234-56789abcdef", // another place of a dash,
      "0123456789abcdef0123456789abcdef",     // no dash,
      "01234567-89ab-cdef-0123-456789abcdef0",
      "00000000-0000-0000-0000-000000000000", // The same numbers as a text.
  };
  for (std::size_t i = 0; i < uids.size(); ++i)
    for (std::size_t j = 0; j < uids.size(); ++j)
      BOOST_TEST((uid_key{uids[i]} == uid_key{uids[j]}) == (i == j),
                 uids[i] << " and " << uids[j]);
}

BOOST_AUTO_TEST_CASE(a_key_has_its_text) {
  BOOST_TEST(uid_key{}.text() == "");
  for (const std::string uid :
       {"", "job-uid", "01234567-89ab-cdef-0123-456789abcdef",
        "fedcba98-7654-3210-fedc-ba9876543210",
        "00000000-0000-0000-0000-000000000001",
        "10000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-0000-000000000000"})
    BOOST_TEST(uid_key{uid}.text() == uid);
}

BOOST_AUTO_TEST_CASE(uuids_are_ordered_as_their_texts) {
  const std::string first = "01234567-89ab-cdef-0123-456789abcdef";
  for (const std::string more : {"01234567-89ab-cdef-0123-456789abcdf0",
                                 "01234567-89ab-cdef-1123-456789abcdef",
                                 "81234567-89ab-cdef-0123-456789abcdef"}) {
    BOOST_TEST((uid_key{first} < uid_key{more}), more);
    BOOST_TEST(!(uid_key{more} < uid_key{first}), more);
  }
}

BOOST_AUTO_TEST_CASE(equal_keys_have_the_same_hash) {
  for (const std::string uid : {"01234567-89ab-cdef-0123-456789abcdef", "job"})
    BOOST_TEST(uid_key::hash{}(uid) == uid_key::hash{}(uid));
  BOOST_TEST(
      uid_key::hash{}(std::string{"01234567-89ab-cdef-0123-456789abcdef"})
      != uid_key::hash{}(std::string{"01234567-89ab-cdef-0123-456789abcdee"}));
}

BOOST_AUTO_TEST_SUITE_END()
