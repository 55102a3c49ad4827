#include "config/setting_rows.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::config;

BOOST_AUTO_TEST_SUITE(setting_values_test)

BOOST_AUTO_TEST_CASE(every_value_can_be_written_and_read_back) {
  for (const auto& r : setting_rows()) {
    settings s;
    auto text = format_value(r, s);
    BOOST_TEST_CONTEXT(r.name) {
      settings again;
      BOOST_REQUIRE(parse_value(r, again, text));
      BOOST_TEST(format_value(r, again) == text);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_text_a_setting_takes) {
  struct row {
    const char* name;
    const char* text;
    const char* value; ///< "": it is refused.
    const char* error;
  };
  // clang-format off
  const row rows[] = {
      {"leader-elect",  "true",  "true",  ""},
      {"leader-elect",  "0",     "false", ""},
      {"leader-elect",  "yes",   "", "wants true or false, not \"yes\""},
      {"gateways",      "7",     "7",     ""},
      {"gateways",      "-7",    "-7",    ""}, // Bounds are checked later.
      {"gateways",      "7.5",   "", "wants a whole number, not \"7.5\""},
      {"gateways",      "",      "", "wants a whole number, not \"\""},
      {"gateways",      "99999999999", "", "wants a smaller number, not \"99999999999\""},
      {"kube-api-qps",  "0.50",  "0.5",   ""},
      {"kube-api-qps",  "1e2",   "100",   ""},
      {"kube-api-qps",  "nan",   "", "wants a number, not \"nan\""},
      {"kube-api-qps",  "0x10",  "", "wants a number, not \"0x10\""},
      {"request-limit", "1500ms", "1.5s", ""},
      {"context",       "a b",   "a b",   ""},
      {"enable-scheme", "a,b",   "a,b",   ""},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.name << "=" << r.text) {
      settings s;
      const auto& setting = *find_setting_row(r.name);
      auto parsed = parse_value(setting, s, r.text);
      BOOST_TEST(bool(parsed) == (*r.error == 0));
      if (parsed)
        BOOST_TEST(format_value(setting, s) == r.value);
      else
        BOOST_TEST(parsed.error().message == r.error);
    }
}

BOOST_AUTO_TEST_CASE(a_list_that_is_repeated_grows) {
  settings s;
  const auto& setting = *find_setting_row("enable-scheme");
  for (const char* text : {"a", "b,c"})
    BOOST_REQUIRE(parse_value(setting, s, text));
  BOOST_TEST(format_value(setting, s) == "a,b,c");
}

BOOST_AUTO_TEST_SUITE_END()
