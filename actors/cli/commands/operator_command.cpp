#include "actors/cli/base/embedded_crds.hpp"
#include "actors/cli/base/send_and_wait.hpp"
#include "actors/cli/base/signals.hpp"
#include "actors/cli/commands/commands.hpp"
#include "actors/cli/operator/cluster_settings.hpp"
#include "actors/cli/operator/di_server_flags.hpp"
#include "actors/cli/operator/operator_lease.hpp"
#include "actors/cli/operator/pod_namespace.hpp"
#include "actors/cli/operator/queueing.hpp"
#include "actors/cli/operator/settings_reload.hpp"
#include "actors/cli/operator/stored_versions.hpp"
#include "actors/process/operator_process.hpp"
#include "config/flags.hpp"
#include "config/logging.hpp"
#include "config/settings.hpp"
#include "config/settings_text.hpp"
#include "k8s/calls.hpp"
#include "k8s/general/addresses.hpp"
#include "k8s/rest/rest_api.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>

namespace troupe::cli {

namespace {

/// Without the scheduler's PodGroup no job could start, and nobody would be
/// told.
k8s::result<k8s::nothing>
fail_if_gang_scheduler_missing(k8s::api& client,
                               const core::cluster_options& cluster) {
  if (cluster.scheduling == core::gang::none)
    return k8s::nothing{};
  const bool native = cluster.scheduling == core::gang::kubernetes;
  const auto& type =
      core::resource_of(native ? core::child_kind::native_group
                        : cluster.scheduling == core::gang::volcano
                            ? core::child_kind::volcano_group
                            : core::child_kind::pod_group);
  auto answer = send_and_wait(client, k8s::list({type, "", "", ""}, 1, ""));
  if (answer || answer.error().code != k8s::ec::not_found)
    return k8s::nothing{}; // There, or nobody can say yet.
  if (native)
    return k8s::failure{
        k8s::ec::invalid,
        "--gang-scheduler-name kubernetes: the server has no podgroups of "
        "scheduling.k8s.io/v1beta1; that takes Kubernetes 1.37 or later with "
        "--feature-gates=GenericWorkload=true (kube-apiserver, kube-scheduler "
        "and kube-controller-manager) and "
        "--runtime-config=scheduling.k8s.io/v1beta1=true (kube-apiserver), or "
        "leave the flag out"};
  return k8s::failure{k8s::ec::invalid,
                      "--gang-scheduler-name " + cluster.gang_scheduler
                          + ": the server has no " + type.plural + " of "
                          + type.api_version()
                          + "; install that scheduler, or leave the flag out"};
}

/// The namespace of the webhooks' Secret and Service, "" if webhooks are not
/// served: outside of a cluster no Service leads to us.
std::string webhook_namespace(const config::settings& s,
                              const k8s::rest::client_config& cluster_config) {
  if (!cluster_config.in_cluster && s.webhook_url.empty())
    return "";
  auto own = pod_namespace(config::process_environment());
  return own.empty() ? "kubeflow" : own;
}

/// Until a signal ends it, applies settings that have changed.
void reload_settings_until_signal(signals& stop, settings_reload& reload,
                                  actors::operator_process& process) {
  constexpr std::chrono::seconds look_at_file{2};
  for (;;) {
    int number = stop.wait_for_signal(look_at_file);
    if (number == SIGINT || number == SIGTERM)
      return;
    bool again = reload.has_file_changed_since_last_call() || number == SIGHUP;
    if (again && reload.reload_and_check_changed())
      process.apply_changed_settings(reload.current_settings());
  }
}

int run_operator(const char* command, const config::parsed_flags& flags,
                 bool print_config, bool reconcile_enabled) {
  signals stop{signals::kind::with_hangup};
  auto settings =
      config::load_settings(flags.file, config::process_environment(),
                            flags.assigned, supported_schemes());
  if (!settings)
    return report_error(command, 2, settings.error().message);
  if (print_config) {
    std::cout << config::to_yaml(*settings);
    return 0;
  }
  log::configure(settings->log_level, settings->log_format,
                 settings->log_time_encoding);
  auto cluster_config =
      k8s::rest::load_client_config(settings->kubeconfig, settings->context);
  if (!cluster_config)
    return report_error(command, 2, cluster_config.error().message);
  log::info("starting", {{"server", cluster_config->server},
                         {"config", cluster_config->origin}});
  auto webhooks = reconcile_enabled
                      ? webhook_namespace(*settings, *cluster_config)
                      : std::string{};
  auto answers = std::make_shared<k8s::request_counts>(
      k8s::host_and_port_of_url(cluster_config->server));
  std::shared_ptr<k8s::api> client = k8s::rest::make_rest_api(
      std::move(*cluster_config), static_cast<unsigned>(settings->http_threads),
      answers);
  auto cluster = load_cluster_options(*settings);
  if (!cluster)
    return report_error(command, 2, cluster.error().message);
  if (auto there = fail_if_gang_scheduler_missing(*client, *cluster); !there)
    return report_error(command, 1, there.error().message);
  if (reconcile_enabled)
    cluster->queueing = find_queueing(*client, *settings);
  auto election = election_unless_other_operator_runs(
      *client, *settings, [&](std::chrono::milliseconds time) {
        int number = stop.wait_for_signal(time);
        return number == 0 || number == SIGHUP;
      });
  if (!election)
    return election.error().code == k8s::ec::cancelled
               ? 0
               : report_error(command, 1, election.error().message);
  auto process =
      actors::start_operator(client, *settings, *cluster, answers,
                             std::move(*election), webhooks, reconcile_enabled);
  if (!process)
    return report_error(command, 1, process.error().message);
  if (reconcile_enabled)
    log_rewrite_advice_on_mpijobs(client);
  settings_reload reload{flags, std::move(*settings)};
  reload_settings_until_signal(stop, reload, **process);
  (*process)->stop();
  return 0;
}

} // namespace

void add_operator_command(CLI::App& app, command_action& action) {
  auto* command = app.add_subcommand(
      "operator", "Look after the jobs of a cluster until told to stop");
  auto flags = std::make_shared<config::parsed_flags>();
  config::add_all_setting_flags(*command, *flags);
  add_di_orchestrator_flags(*command, *flags);
  auto print_config = std::make_shared<bool>(false);
  command->add_flag("--print-config", *print_config,
                    "Print all settings as YAML, with where each comes from "
                    "and why it has its default, and exit");
  command->callback([=, &action] {
    action = [=] {
      return run_operator("operator", *flags, *print_config, true);
    };
  });
}

void add_di_server_command(CLI::App& app, command_action& action) {
  auto* command = app.add_subcommand(
      "di-server", "Answer pods of DIJobs that ask for replicas, beside an "
                   "operator without --di-server-bind-address");
  auto flags = std::make_shared<config::parsed_flags>();
  config::add_all_setting_flags(*command, *flags);
  add_di_orchestrator_flags(*command, *flags);
  add_di_server_flags(*command, *flags);
  command->callback([=, &action] {
    flags->assigned = add_di_server_defaults(std::move(flags->assigned));
    action = [=] { return run_operator("di-server", *flags, false, false); };
  });
}

} // namespace troupe::cli
