#include "actors/admin/text/utf8.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(utf8_test)

BOOST_AUTO_TEST_CASE(characters_are_whole_cut_or_none) {
  struct row {
    const char* description;
    const char* text;
    std::size_t length;
    bool cut;
  } rows[] = {
      {"ASCII", "a", 1, false},
      {"two bytes", "\xc3\xa9x", 2, false},
      {"three bytes", "\xe2\x82\xac", 3, false},
      {"four bytes", "\xf0\x9f\x98\x80", 4, false},
      {"two bytes, cut", "\xc3", 0, true},
      {"three bytes, cut", "\xe2\x82", 0, true},
      {"four bytes, cut", "\xf0\x9f\x98", 0, true},
      {"cut by something else", "\xe2\x82x", 0, false},
      {"begins in the middle", "\x82\xac", 0, false},
      {"longer than it has to be", "\xc0\xaf", 0, false},
      {"a surrogate", "\xed\xa0\x80", 0, false},
      {"nothing", "", 0, false},
  };
  for (const auto& r : rows) {
    if (*r.text)
      BOOST_TEST(first_utf8_character_length(r.text) == r.length,
                 r.description);
    BOOST_TEST(is_cut_utf8_character(r.text) == r.cut, r.description);
  }
}

BOOST_AUTO_TEST_CASE(columns_of_a_character) {
  const std::pair<const char*, std::size_t> rows[] = {
      {"a", 1},  {"\x82", 1}, {"é", 1},  {"█", 1}, {"…", 1}, {"\u0301", 0},
      {"損", 2}, {"한", 2},   {"！", 2}, {"😀", 2}, {"𠀀", 2}};
  for (const auto& [character, columns] : rows)
    BOOST_TEST(columns_of_utf8_character(character) == columns, character);
}

BOOST_AUTO_TEST_SUITE_END()
