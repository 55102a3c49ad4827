#include "config/setting_rows.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::config;

BOOST_AUTO_TEST_SUITE(setting_values_test)

BOOST_AUTO_TEST_CASE(every_value_can_be_written_and_read_back) {
  for (const auto& r : setting_rows()) {
    settings s;
    auto text = format_setting(r, s);
    BOOST_TEST_CONTEXT(r.name) {
      settings again;
      BOOST_REQUIRE(set_setting_from_text(r, again, text));
      BOOST_TEST(format_setting(r, again) == text);
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
      {"leader-elect",  "yes",   "", "must be true or false"},
      {"gateways",      "7",     "7",     ""},
      {"gateways",      "-7",    "-7",    ""}, // Bounds are checked later.
      {"gateways",      "7.5",   "", "must be an integer"},
      {"gateways",      "",      "", "must be an integer"},
      {"gateways",      "99999999999", "", "must be an integer from -2147483648 to 2147483647"},
      {"gateways",      "-99999999999", "", "must be an integer from -2147483648 to 2147483647"},
      {"kube-api-qps",  "0.50",  "0.5",   ""},
      {"kube-api-qps",  "1e2",   "100",   ""},
      {"kube-api-qps",  "0.1",   "0.1",   ""},
      {"kube-api-qps",  "1e6",   "1000000", ""},
      {"kube-api-qps",  "1e-7",  "0.0000001", ""}, // 0 is no limit.
      {"kube-api-qps",  "20.0000001", "20.0000001", ""},
      {"kube-api-qps",  "2.5e-300", "2.5e-300", ""},
      {"kube-api-qps",  "-2.2250738585072014e-308", "-2.2250738585072014e-308", ""},
      {"kube-api-qps",  "1e300", "1e+300", ""},
      {"kube-api-qps",  "nan",   "", "must be a number"},
      {"kube-api-qps",  "0x10",  "", "must be a number"},
      {"request-limit", "1500ms", "1.5s", ""},
      {"context",       "a b",   "a b",   ""},
      {"enable-scheme", "a,b",   "a,b",   ""},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.name << "=" << r.text) {
      settings s;
      const auto& setting = *find_setting_row(r.name);
      auto parsed = set_setting_from_text(setting, s, r.text);
      BOOST_TEST(bool(parsed) == (*r.error == 0));
      if (parsed)
        BOOST_TEST(format_setting(setting, s) == r.value);
      else
        BOOST_TEST(parsed.error().message == r.error);
    }
}

BOOST_AUTO_TEST_CASE(a_list_that_is_repeated_grows) {
  settings s;
  const auto& setting = *find_setting_row("enable-scheme");
  for (const char* text : {"a", "b,c"})
    BOOST_REQUIRE(set_setting_from_text(setting, s, text));
  BOOST_TEST(format_setting(setting, s) == "a,b,c");
}

BOOST_AUTO_TEST_SUITE_END()
