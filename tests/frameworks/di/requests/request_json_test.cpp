#include "frameworks/di/requests/request_json.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(request_json_test)

namespace {

using namespace troupe::frameworks::di;

std::string error_of(const std::string& text) {
  auto value = read_request_json(text);
  return value ? "" : value.error().message;
}

std::string string_in(const std::string& text) {
  auto value = read_request_json(text);
  return value ? value->text : value.error().message;
}

} // namespace

BOOST_AUTO_TEST_CASE(messages_are_those_that_clients_know) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "EOF"},
      {" \r\n\t", "EOF"},
      {"{", "unexpected EOF"},
      {"{\"a\"", "unexpected EOF"},
      {"[1,", "unexpected EOF"},
      {"\"a", "unexpected EOF"},
      {"tru", "unexpected EOF"},
      {"-", "unexpected EOF"},
      {"x", "invalid character 'x' looking for beginning of value"},
      {"'", "invalid character '\\'' looking for beginning of value"},
      {"{a",
       "invalid character 'a' looking for beginning of object key string"},
      {"{\"a\":1,}",
       "invalid character '}' looking for beginning of object key string"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\":1 2}", "invalid character '2' after object key:value pair"},
      {"[1 2]", "invalid character '2' after array element"},
      {"[1,]", "invalid character ']' looking for beginning of value"},
      {"tree", "invalid character 'e' in literal true (expecting 'u')"},
      {"-x", "invalid character 'x' in numeric literal"},
      {"1.x", "invalid character 'x' after decimal point in numeric literal"},
      {"1ex", "invalid character 'x' in exponent of numeric literal"},
      {"\"\\x\"", "invalid character 'x' in string escape code"},
      {"\"\\u12g4\"",
       "invalid character 'g' in \\u hexadecimal character escape"},
      {"\"\n\"", "invalid character '\\n' in string literal"},
      {"\x01", "invalid character '\\x01' looking for beginning of value"},
      {"\xc3", "invalid character '\xc3\x83' looking for beginning of value"},
  };
  for (const auto& [text, message] : rows)
    BOOST_TEST(error_of(text) == message, text << ": " << error_of(text));
}

BOOST_AUTO_TEST_CASE(only_the_first_value_is_read) {
  for (const char* text : {"{} x", "{}}", "[] []", "null,", "1 x", "true false",
                           " {\"a\": [1, {\"b\": null}], \"c\": -1.5e+3} tail"})
    BOOST_TEST(error_of(text) == "", text);
}

BOOST_AUTO_TEST_CASE(strings_and_numbers_are_kept_exactly) {
  const std::pair<const char*, const char*> rows[] = {
      {"0.10", "0.10"},
      {"-1e-2", "-1e-2"},
      {"\"a\\n\\u00e4\\/\"", "a\n\xc3\xa4/"},
      {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"},
      {"\"\\ud83dx\"", "\xef\xbf\xbdx"},
      {"\"\\ude00\"", "\xef\xbf\xbd"},
      {"\"\\ud83d\\u0041\"", "\xef\xbf\xbd"
                             "A"},
  };
  for (const auto& [text, value] : rows)
    BOOST_TEST(string_in(text) == value, text);
}

BOOST_AUTO_TEST_CASE(depth_is_bounded) {
  BOOST_TEST(error_of(std::string(100'000, '[')) == "exceeded max depth");
}

BOOST_AUTO_TEST_CASE(values_are_counted_before_they_are_made) {
  auto names = [](std::size_t count) {
    std::string text = "{\"collectors\":[\"a\"";
    for (std::size_t i = 1; i < count; ++i)
      text += ",\"a\"";
    return text + "]}";
  };
  BOOST_TEST(error_of(names(most_request_values - 2)) == "");
  BOOST_TEST(error_of(names(most_request_values - 1))
             == "the body has more than 10000 values; send several requests");
  std::string dense = "{";
  for (int i = 0; i < 150'000; ++i)
    dense += "\"\":0,";
  BOOST_TEST(error_of(dense + "\"\":0}")
             == "the body has more than 10000 values; send several requests");
}

BOOST_AUTO_TEST_SUITE_END()
