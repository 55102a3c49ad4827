#include "actors/admin/terminal_text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(terminal_text_test)

BOOST_AUTO_TEST_CASE(text_is_cut_between_characters) {
  BOOST_TEST(shorten("äöüäöü", 5) == "äö...");
  BOOST_TEST(shorten("äöü", 3) == "äöü");
  BOOST_TEST(pad_right("ä", 3) == "ä  ");
  BOOST_TEST(strip_control_characters("a\tb\x07\x1b[0m\x7f") == "a b[0m");
}

BOOST_AUTO_TEST_CASE(what_is_too_narrow_for_dots_has_none) {
  struct row {
    std::size_t width;
    const char* text;
  } rows[] = {{4, "abcd"}, {3, "..."}, {2, ""}, {0, ""}};
  for (const auto& r : rows)
    BOOST_TEST(shorten("abcd", r.width) == r.text, r.width);
}

BOOST_AUTO_TEST_SUITE_END()
