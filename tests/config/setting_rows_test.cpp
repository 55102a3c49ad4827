#include "config/setting_rows.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace troupe::config;

BOOST_AUTO_TEST_SUITE(setting_rows_test)

BOOST_AUTO_TEST_CASE(names_of_settings_are_unique) {
  std::set<std::string> names;
  for (const auto& r : setting_rows())
    BOOST_TEST(names.insert(r.name).second);
}

BOOST_AUTO_TEST_CASE(the_nearest_name_is_proposed_unless_it_is_far) {
  struct row {
    const char* given;
    const char* proposed;
  } rows[] = {{"kube-api-qsp", "kube-api-qps"},
              {"gateway", "gateways"},
              {"leader-elected", "leader-elect"},
              {"kubeApiQps", "kube-api-qps"},
              {"window_most", "window-most"},
              {"zzzzzz", ""},
              {"", ""}};
  for (const auto& r : rows)
    BOOST_TEST(nearest_setting_name(r.given) == r.proposed, r.given);
}

BOOST_AUTO_TEST_SUITE_END()
