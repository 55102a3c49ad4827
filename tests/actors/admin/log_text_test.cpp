#include "actors/admin/log_text.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(log_text_test)

namespace {

/// The bytes, cut into pieces of that size.
std::string text_of(const std::string& bytes, std::size_t piece) {
  log_text log;
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += piece)
    out += log.feed(std::string_view{bytes}.substr(i, piece));
  return out + log.finish();
}

} // namespace

BOOST_AUTO_TEST_CASE(it_is_text_however_the_bytes_are_cut) {
  struct row {
    const char* description;
    std::string bytes;
    std::string text;
  } rows[] = {
      {"lines", "one\ntwo\n", "one\ntwo\n"},
      {"no end of line", "one\ntwo", "one\ntwo"},
      {"a progress bar", "1 %\r2 %\r", "1 %\r2 %\r"},
      {"colours and tabs", "\x1b[31mred\x1b[0m\tx\b",
       "\x1b[31mred\x1b[0m\tx\b"},
      {"characters of several bytes", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
       "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
      {"control characters",
       std::string{"a\0b\x07\x7f"
                   "c",
                   6},
       "ab\x07"
       "c"},
      {"no UTF-8",
       "a\xff\xfe\xfd"
       "b\xff",
       "a\xef\xbf\xbd"
       "b\xef\xbf\xbd"},
      {"a character without its end", "a\xe2\x82", "a\xef\xbf\xbd"},
      {"markup is text", "<script>&amp;", "<script>&amp;"},
  };
  for (const auto& r : rows)
    for (std::size_t piece : {1, 2, 3, 100})
      BOOST_TEST(text_of(r.bytes, piece) == r.text,
                 r.description << ", in pieces of " << piece);
}

BOOST_AUTO_TEST_CASE(a_line_is_no_longer_than_it_may_be) {
  const std::string most(log_text::most_line_bytes, 'x');
  const std::string mark = " [the rest of the line is left out]";
  for (std::size_t piece :
       {std::size_t{1}, std::size_t{1000}, most.size() * 9}) {
    BOOST_TEST(text_of(most + "\nnext\n", piece) == most + "\nnext\n");
    BOOST_TEST(text_of(most + "xyz\nnext\n", piece)
               == most + mark + "\nnext\n");
    // A progress bar is many lines, one over the other.
    BOOST_TEST(text_of(most + "\r" + most + "\r", piece)
               == most + "\r" + most + "\r");
    auto garbage = std::string(most.size() * 2, '\xff') + "\n";
    BOOST_TEST(text_of(garbage, piece) == "\xef\xbf\xbd\n");
  }
}

BOOST_AUTO_TEST_SUITE_END()
