#include "config/setting_rows.hpp"
#include "config/settings_file.hpp"
#include "config/settings_text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::config;

BOOST_AUTO_TEST_SUITE(settings_text_test)

namespace {

const std::vector<std::string> kinds{"TFJob", "PyTorchJob"};

settings with(const assignments& said) {
  auto s = apply_assignments({}, said);
  BOOST_REQUIRE(s);
  return *s;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_default_has_a_reason) {
  for (const auto& r : setting_rows())
    BOOST_TEST(*r.reason != '\0', r.name);
}

BOOST_AUTO_TEST_CASE(the_yaml_is_a_settings_file_of_the_same_settings) {
  auto s = with({{"gateways", "3", "--gateways"},
                 {"enable-scheme", "TFJob", "--enable-scheme"},
                 {"enable-scheme", "PyTorchJob", "--enable-scheme"},
                 {"cluster-domain", "a \"b\": #c", "$CUSTOM_CLUSTER_DOMAIN"},
                 {"request-limit", "1500ms", "operator.yaml:7"}});
  auto said = parse_settings_yaml(to_yaml(s), "printed");
  BOOST_REQUIRE(said);
  auto again = apply_assignments({}, *said);
  BOOST_REQUIRE(again);
  for (const auto& r : setting_rows())
    BOOST_TEST(format_setting(r, *again) == format_setting(r, s), r.name);
}

BOOST_AUTO_TEST_CASE(it_says_where_values_come_from) {
  auto text = to_yaml(with({{"gateways", "3", "operator.yaml:7"}}));
  auto has = [&](const char* part) {
    return text.find(part) != std::string::npos;
  };
  BOOST_TEST(
      has("# From operator.yaml:7; the default is 1: one carries what an "
          "API server can take.\ngateways: 3\n"));
  BOOST_TEST(has("# Default: as upstream.\nenable-scheme: []\n"));
}

BOOST_AUTO_TEST_CASE(changes_are_told_by_when_they_take_effect) {
  auto before =
      with({{"gateways", "3", "operator.yaml:1"}, {"window-most", "9", ""}});
  auto after =
      with({{"window-most", "8", ""}, {"log-level", "debug", "--log-level"}});
  auto changed = find_changed_settings(before, after);
  BOOST_TEST(changed.reloadable
                 == (std::vector<std::string>{"window-most", "log-level"}),
             boost::test_tools::per_element());
  BOOST_TEST(changed.at_restart == std::vector<std::string>{"gateways"},
             boost::test_tools::per_element());
  auto running = apply_reloadable_settings(before, after);
  BOOST_TEST(running.gateways == 3);
  BOOST_TEST(running.window_most == 8);
  BOOST_TEST(running.log_level == "debug");
  BOOST_TEST(running.origins.at("log-level") == "--log-level");
  BOOST_TEST(running.origins.at("gateways") == "operator.yaml:1");
}

BOOST_AUTO_TEST_CASE(a_change_behind_the_sixth_decimal_is_one) {
  auto changed = find_changed_settings(with({{"kube-api-qps", "1e-7", ""}}),
                                       with({{"kube-api-qps", "2e-7", ""}}));
  BOOST_TEST(changed.reloadable.size() + changed.at_restart.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
