#include "actors/admin/text/terminal_text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(terminal_text_test)

BOOST_AUTO_TEST_CASE(text_is_cut_between_characters) {
  BOOST_TEST(truncate_with_ellipsis("äöüäöü", 5) == "äö...");
  BOOST_TEST(truncate_with_ellipsis("äöü", 3) == "äöü");
  BOOST_TEST(pad_right("ä", 3) == "ä  ");
  BOOST_TEST(truncate_with_ellipsis("損失損失", 8) == "損失損失");
  BOOST_TEST(truncate_with_ellipsis("損失損失損", 8) == "損失...");
  BOOST_TEST(pad_right("損", 4) == "損  ");
  BOOST_TEST(column_count("loss 😀e\u0301") == 8u);
  BOOST_TEST(strip_control_characters("a\tb\x07\x1b[0m\x7f") == "a b");
}

BOOST_AUTO_TEST_CASE(names_are_cut_in_the_middle) {
  BOOST_TEST(truncate_in_middle("team/sweep-17", 13) == "team/sweep-17");
  BOOST_TEST(truncate_in_middle("team/sweep-17", 12) == "team/...p-17");
  BOOST_TEST(truncate_in_middle("team/sweep-17", 8) == "tea...17");
  BOOST_TEST(truncate_in_middle("team/sweep-17", 7) == "team...");
  BOOST_TEST(truncate_in_middle("ääääääääääää", 9) == "ääääää...");
}

BOOST_AUTO_TEST_CASE(what_is_too_narrow_for_dots_has_none) {
  struct row {
    std::size_t width;
    const char* text;
  } rows[] = {{4, "abcd"}, {3, "..."}, {2, ""}, {0, ""}};
  for (const auto& r : rows)
    BOOST_TEST(truncate_with_ellipsis("abcd", r.width) == r.text, r.width);
}

BOOST_AUTO_TEST_CASE(escape_sequences_are_stripped_whole) {
  const std::pair<std::string, const char*> rows[] = {
      {"\x1b[1;31mred\x1b[0m", "red"},
      {"\x1b[2Jgone", "gone"},
      {"\x1b[?25lhidden", "hidden"},
      {"\x1b]0;title\atext", "text"},
      {"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
      {"\x1b]0;without end", ""},
      {"\x1b"
       "7saved",
       "saved"},
      {"end\x1b", "end"},
      {"\xc2\x9b"
       "2Jtext",
       "2Jtext"},
      {"\xc3\xa4", "\xc3\xa4"},
      {"\x1b[31", ""},
      {"\x1b[31\x07m", "m"},
      {"\x1b(Bset", "set"},
      {"\xc2\x01\x9b"
       "2J",
       "??2J"},
      {"\xc2\x1b"
       "7\x9b"
       "2J",
       "??2J"},
      {"\x9b"
       "2J",
       "?2J"},
      {"\xe0\x80\x9b", "???"},
      {"\xf0\x9f\x98\x80 \xe2\x82\xac", "\xf0\x9f\x98\x80 \xe2\x82\xac"},
  };
  for (const auto& [text, stripped] : rows)
    BOOST_TEST(strip_control_characters(text) == stripped);
}

BOOST_AUTO_TEST_CASE(control_characters_are_shown_as_escapes) {
  const std::pair<std::string, const char*> rows[] = {
      {"plain \xc3\xa4 \xf0\x9f\x98\x80", "plain \xc3\xa4 \xf0\x9f\x98\x80"},
      {"\x1b[2Jx\x1b]0;title\a", "\\u001b[2Jx\\u001b]0;title\\u0007"},
      {"a\nb\tc\rd\be\x7f", "a\\nb\\tc\\rd\\u0008e\\u007f"},
      {std::string{"\0", 1}, "\\u0000"},
      {"\xc2\x9b"
       "2J",
       "\\u009b2J"},
      {"\x9b"
       "2J\xc3",
       "\\x9b2J\\xc3"},
      {"", ""},
  };
  for (const auto& [text, shown] : rows)
    BOOST_TEST(escape_control_characters(text) == shown);
}

BOOST_AUTO_TEST_CASE(lines_stay_lines_when_escaped) {
  BOOST_TEST(escape_control_characters_of_lines("a\x1b\n\nb\r\n")
             == "a\\u001b\n\nb\\r\n");
  BOOST_TEST(escape_control_characters_of_lines("") == "");
}

BOOST_AUTO_TEST_CASE(a_line_of_a_log_has_its_last_state) {
  const std::pair<const char*, const char*> rows[] = {
      {"plain", "plain"},
      {"windows\r", "windows"},
      {" 10%\r 50%\r100%", "100%"},
      {" 10%\r100%\r", "100%"},
      {"\r\r", ""},
      {"", ""},
  };
  for (const auto& [line, shown] : rows)
    BOOST_TEST(sanitize_log_line(line, false) == shown);
}

BOOST_AUTO_TEST_CASE(colours_are_kept_on_request_and_end_with_the_line) {
  const std::pair<const char*, const char*> rows[] = {
      {"\x1b[31mred", "\x1b[31mred\x1b[0m"},
      {"\x1b[38;2;1;2;3mrgb\x1b[m", "\x1b[38;2;1;2;3mrgb\x1b[m\x1b[0m"},
      {"\x1b[2Kplain", "plain"},
      {"\x1b[?1mplain", "plain"},
      {"\x1b[10A\x1b[1mup", "\x1b[1mup\x1b[0m"},
  };
  for (const auto& [line, shown] : rows)
    BOOST_TEST(sanitize_log_line(line, true) == shown);
}

BOOST_AUTO_TEST_SUITE_END()
