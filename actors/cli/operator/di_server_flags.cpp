#include "actors/cli/operator/di_server_flags.hpp"

#include <CLI/CLI.hpp>

namespace troupe::cli {

namespace {

struct renamed_flag {
  const char* flag;
  const char* setting;
  const char* help;
};

constexpr renamed_flag of_server[] = {
    {"--server-bind-address", "di-server-bind-address",
     "As di-server-bind-address, in upstream's words [:8080]"},
    {"--lease-lock-namespace", "leader-election-namespace",
     "As leader-election-namespace, in upstream's words [di-system]"},
    {"--lease-lock-name", "leader-election-id",
     "As leader-election-id, in upstream's words [di-server]"},
};

constexpr renamed_flag of_v1_1_3[] = {
    {"--qps", "kube-api-qps", "As kube-api-qps, in DI-orchestrator's words"},
    {"--burst", "kube-api-burst",
     "As kube-api-burst, in DI-orchestrator's words"},
    {"--metric-addr", "metrics-bind-address",
     "As metrics-bind-address, in DI-orchestrator's words"},
    {"--probe-addr", "health-probe-bind-address",
     "As health-probe-bind-address, in DI-orchestrator's words"},
    {"--probe-address", "health-probe-bind-address",
     "As health-probe-bind-address, in DI-orchestrator's words"},
    {"--sync-period", "",
     "Accepted, no effect: what failed is tried again without it"},
};

void add_renamed_flag(CLI::App& command, config::parsed_flags& to,
                      const renamed_flag& r) {
  command
      .add_option(r.flag,
                  CLI::callback_t([&to, r](const CLI::results_t& values) {
                    if (*r.setting != '\0')
                      to.assigned.push_back({r.setting, values.back(), r.flag});
                    return true;
                  }),
                  r.help)
      ->type_name("VALUE")
      ->group("Upstream's flags");
}

} // namespace

void add_di_orchestrator_flags(CLI::App& command, config::parsed_flags& to) {
  for (const auto& r : of_v1_1_3)
    add_renamed_flag(command, to, r);
}

void add_di_server_flags(CLI::App& command, config::parsed_flags& to) {
  for (const auto& r : of_server)
    add_renamed_flag(command, to, r);
}

config::assignments add_di_server_defaults(config::assignments flags) {
  constexpr const char* origin = "troupe di-server";
  config::assignments all{{"enable-scheme", "DIJob", origin},
                          {"di-server-bind-address", ":8080", origin},
                          {"health-probe-bind-address", "0", origin},
                          {"metrics-bind-address", "0", origin},
                          {"admin-bind-address", "0", origin},
                          {"leader-election-id", "di-server", origin},
                          {"leader-election-namespace", "di-system", origin},
                          {"leader-election-lease-duration", "60s", origin},
                          {"leader-election-renew-deadline", "15s", origin},
                          {"leader-election-retry-period", "5s", origin}};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

} // namespace troupe::cli
