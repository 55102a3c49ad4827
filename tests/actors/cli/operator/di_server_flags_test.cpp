#include "actors/cli/operator/di_server_flags.hpp"

#include <CLI/CLI.hpp>
#include <boost/test/unit_test.hpp>

using namespace troupe;
using strings = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(di_server_flags_test)

BOOST_AUTO_TEST_CASE(flags_of_di_orchestrator_are_ours_by_other_names) {
  struct row {
    const char* flag;
    const char* setting; ///< "": none is set.
  };
  const row rows[] = {
      {"--server-bind-address", "di-server-bind-address"},
      {"--lease-lock-namespace", "leader-election-namespace"},
      {"--lease-lock-name", "leader-election-id"},
      {"--qps", "kube-api-qps"},
      {"--burst", "kube-api-burst"},
      {"--metric-addr", "metrics-bind-address"},
      {"--probe-addr", "health-probe-bind-address"},
      {"--probe-address", "health-probe-bind-address"},
      {"--sync-period", ""},
      // These have the same names.
      {"--server-address", "server-address"},
      {"--agconfig-namespace", "agconfig-namespace"},
      {"--agconfig-name", "agconfig-name"},
      {"--gpu-alloc-policy", "gpu-alloc-policy"},
      {"--metrics-bind-address", "metrics-bind-address"},
      {"--health-probe-bind-address", "health-probe-bind-address"},
      {"--kubeconfig", "kubeconfig"},
      {"--service-domain-name", "service-domain-name"},
      {"--di-server-url", "di-server-url"},
  };
  for (const auto& x : rows) {
    CLI::App app;
    config::parsed_flags flags;
    config::add_all_setting_flags(app, flags);
    cli::add_di_orchestrator_flags(app, flags);
    cli::add_di_server_flags(app, flags);
    app.parse(strings{std::string{x.flag} + "=v"});
    bool is_setting = *x.setting != '\0';
    BOOST_REQUIRE(flags.assigned.size() == (is_setting ? 1u : 0u));
    if (!is_setting)
      continue;
    BOOST_TEST(flags.assigned[0].name == x.setting);
    BOOST_TEST(flags.assigned[0].value == "v");
  }
}

BOOST_AUTO_TEST_SUITE_END()
