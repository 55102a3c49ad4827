#include "config/setting_rows.hpp"
#include "config/settings_file.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using namespace troupe::config;

BOOST_AUTO_TEST_SUITE(file)

BOOST_AUTO_TEST_CASE(the_documented_file_says_exactly_the_defaults) {
  auto said = read_settings_file(OPERATOR_YAML);
  BOOST_REQUIRE(said);
  // Away from the defaults first, so that a missing key shows.
  settings other;
  for (const auto& r : setting_rows()) {
    if (std::holds_alternative<bool settings::*>(r.where))
      BOOST_REQUIRE(set_setting_from_text(
          r, other,
          format_setting(r, settings{}) == "true" ? "false" : "true"));
    else if (std::holds_alternative<std::chrono::milliseconds settings::*>(
                 r.where))
      BOOST_REQUIRE(set_setting_from_text(r, other, "77s"));
    else
      BOOST_REQUIRE(set_setting_from_text(r, other, "77"));
  }
  auto got = apply_assignments(other, *said);
  BOOST_REQUIRE(got);
  for (const auto& r : setting_rows())
    BOOST_TEST_CONTEXT(r.name)
  BOOST_TEST(format_setting(r, *got) == format_setting(r, settings{}));
}

BOOST_AUTO_TEST_CASE(an_unknown_key_names_its_line_and_the_nearest_key) {
  auto got = parse_settings_yaml("gateways: 2\nkube-api-qsp: 5\n", "op.yaml");
  BOOST_REQUIRE(!got);
  BOOST_TEST(got.error().message
             == "op.yaml:2: unknown key kube-api-qsp; did you mean "
                "kube-api-qps?");
}

BOOST_AUTO_TEST_CASE(wrong_files_are_refused_with_their_place) {
  const std::pair<const char*, const char*> table[] = {
      {"- a\n", "f:1: must be a mapping"},
      {"gateways: 1\ngateways: 2\n", "f:2: gateways is set twice"},
      {"gateways: [1]\n", "f:1: gateways must be a single value"},
      {"gateways:\n", "f:1: gateways must be a single value, but is empty"},
      {"enable-scheme: {a: b}\n", "f:1: enable-scheme must be a list"},
      {"enable-scheme: [[a]]\n",
       "f:1: enable-scheme must be a list of strings"},
      {"gateways: 1\n  x: [\n", "f:2: not YAML"},
      {"? [a, b]\n: 1\n", "f:1: unknown key"},
  };
  for (const auto& [text, want] : table) {
    auto got = parse_settings_yaml(text, "f");
    BOOST_TEST_CONTEXT(text) {
      BOOST_REQUIRE(!got);
      BOOST_TEST(got.error().message.find(want) == 0u);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_file_says_nothing) {
  auto got = parse_settings_yaml("# nothing\n", "f");
  BOOST_REQUIRE(got);
  BOOST_TEST(got->empty());
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_read_is_named) {
  auto got = read_settings_file("/nonexistent/operator.yaml");
  BOOST_REQUIRE(!got);
  BOOST_TEST(got.error().message
             == "--config /nonexistent/operator.yaml: cannot be read: No such "
                "file or directory");
}

BOOST_AUTO_TEST_SUITE_END()
