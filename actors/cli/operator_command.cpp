#include "actors/cli/cluster_options.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/di_server_flags.hpp"
#include "actors/cli/embedded_crds.hpp"
#include "actors/cli/operator_lease.hpp"
#include "actors/cli/pod_namespace.hpp"
#include "actors/cli/send_and_wait.hpp"
#include "actors/cli/settings_reload.hpp"
#include "actors/cli/signals.hpp"
#include "actors/operator_process.hpp"
#include "config/flags.hpp"
#include "config/logging.hpp"
#include "config/settings.hpp"
#include "config/settings_text.hpp"
#include "k8s/calls.hpp"
#include "k8s/rest/rest_api.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>

namespace troupe::cli {

namespace {

/// Without the scheduler's PodGroup no job could start, and nobody would be
/// told.
k8s::result<k8s::nothing>
check_gang_scheduler(k8s::api& client, const core::cluster_options& cluster) {
  if (cluster.scheduling == core::gang::none)
    return k8s::nothing{};
  const auto& type = core::resource_of(cluster.scheduling == core::gang::volcano
                                           ? core::child_kind::volcano_group
                                           : core::child_kind::pod_group);
  auto answer = send_and_wait(client, k8s::list({type, "", "", ""}, 1, ""));
  if (answer || answer.error().code != k8s::ec::not_found)
    return k8s::nothing{}; // There, or nobody can say yet.
  return k8s::failure{k8s::ec::invalid,
                      "--gang-scheduler-name " + cluster.gang_scheduler
                          + ": the server has no " + type.plural + " of "
                          + type.api_version()
                          + "; install that scheduler, or leave the flag out"};
}

/// The namespace of the webhooks' Secret and Service, "" if webhooks are not
/// served: outside of a cluster no Service leads to us.
std::string webhook_namespace(const config::settings& s,
                              const k8s::rest::client_config& who) {
  if (!who.in_cluster && s.webhook_url.empty())
    return "";
  auto own = pod_namespace(config::process_environment());
  return own.empty() ? "kubeflow" : own;
}

/// Until a signal ends it.
void serve(signals& stop, settings_reload& reload,
           actors::operator_process& process) {
  constexpr std::chrono::seconds look_at_file{2};
  for (;;) {
    int number = stop.wait(look_at_file);
    if (number == SIGINT || number == SIGTERM)
      return;
    bool again = reload.file_changed() || number == SIGHUP;
    if (again && reload.read_again())
      process.change_settings(reload.current());
  }
}

int run_operator(const char* command, const config::parsed_flags& flags,
                 bool print_config, bool reconciles) {
  signals stop{signals::kind::with_hangup};
  auto settings = config::load(flags.file, config::process_environment(),
                               flags.said, supported_job_kinds());
  if (!settings)
    return report_error(command, 2, settings.error().message);
  if (print_config) {
    std::cout << config::to_yaml(*settings);
    return 0;
  }
  settings->reconciles = reconciles;
  log::start(settings->log_level, settings->log_format,
             settings->log_time_encoding);
  auto who =
      k8s::rest::find_client_config(settings->kubeconfig, settings->context);
  if (!who)
    return report_error(command, 2, who.error().message);
  log::info("starting", {{"server", who->server}, {"config", who->origin}});
  auto webhooks =
      reconciles ? webhook_namespace(*settings, *who) : std::string{};
  auto answers =
      std::make_shared<k8s::request_counts>(k8s::host_and_port(who->server));
  std::shared_ptr<k8s::api> client = k8s::rest::make_rest_api(
      std::move(*who), static_cast<unsigned>(settings->http_threads), answers);
  auto cluster = load_cluster_options(*settings);
  if (!cluster)
    return report_error(command, 2, cluster.error().message);
  if (auto there = check_gang_scheduler(*client, *cluster); !there)
    return report_error(command, 1, there.error().message);
  auto election = election_unless_other_operator_runs(
      *client, *settings, [&](std::chrono::milliseconds time) {
        int number = stop.wait(time);
        return number == 0 || number == SIGHUP;
      });
  if (!election)
    return election.error().code == k8s::ec::cancelled
               ? 0
               : report_error(command, 1, election.error().message);
  auto process = actors::start_operator(client, *settings, *cluster, answers,
                                        std::move(*election), webhooks);
  if (!process)
    return report_error(command, 1, process.error().message);
  settings_reload reload{flags, std::move(*settings)};
  serve(stop, reload, **process);
  (*process)->stop();
  return 0;
}

} // namespace

void add_operator_command(CLI::App& app, int& code) {
  auto* command = app.add_subcommand(
      "operator", "Look after the jobs of a cluster until told to stop");
  auto flags = std::make_shared<config::parsed_flags>();
  config::add_flags(*command, *flags);
  auto print_config = std::make_shared<bool>(false);
  command->add_flag("--print-config", *print_config,
                    "Print all settings as YAML, with where each comes from "
                    "and why it has its default, and exit");
  command->callback([flags, print_config, &code] {
    code = run_operator("operator", *flags, *print_config, true);
  });
}

void add_di_server_command(CLI::App& app, int& code) {
  auto* command = app.add_subcommand(
      "di-server", "Answer pods of DIJobs that ask for replicas, beside an "
                   "operator without --di-server-bind-address");
  auto flags = std::make_shared<config::parsed_flags>();
  config::add_flags(*command, *flags);
  add_di_server_flags(*command, *flags);
  command->callback([flags, &code] {
    flags->said = with_di_server_defaults(std::move(flags->said));
    code = run_operator("di-server", *flags, false, false);
  });
}

} // namespace troupe::cli
