#include "actors/cli/base/embedded_crds.hpp"
#include "actors/cli/base/signals.hpp"
#include "actors/cli/commands/authorization_flag.hpp"
#include "actors/cli/commands/commands.hpp"
#include "actors/cli/commands/node_flags.hpp"
#include "actors/cli/local/kubeconfig_file.hpp"
#include "actors/cli/local/local_cluster.hpp"
#include "actors/cli/local/run_directory.hpp"
#include "config/flags.hpp"
#include "config/logging.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>

namespace troupe::cli {

namespace {

struct up_options {
  std::string listen = "127.0.0.1:0";
  std::string kubeconfig_out;
  std::string run_directory;
  std::string data_directory;
  node_choice node;
  bool no_node = false;
  bool no_operator = false;
  k8s::apiserver::authorization_mode authorization =
      k8s::apiserver::authorization_mode::always_allow;
  config::parsed_flags flags;
};

/// The addresses of the probes are for clusters; here they could clash with
/// other programs.
config::assignments add_up_defaults(const config::assignments& flags) {
  config::assignments all{
      {"health-probe-bind-address", "0", "troupe up"},
      {"metrics-bind-address", "0", "troupe up"},
      {"di-server-bind-address", "127.0.0.1:0", "troupe up"},
      {"server-address", "", "troupe up"},
      {"di-server-url", "", "troupe up"},
      {"di-server-access", "anybody", "troupe up"},
      {"mpi-operator-lease-namespaces", "", "troupe up"},
      {"kueue", "off", "troupe up"}};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

int run_up(const up_options& o) {
  signals stop;
  auto settings = config::load_settings(
      o.flags.file, config::process_environment(),
      add_up_defaults(o.flags.assigned), supported_schemes());
  if (!settings)
    return report_error("up", 2, settings.error().message);
  log::configure(settings->log_level, settings->log_format,
                 settings->log_time_encoding);
  local_options local;
  local.listen = o.listen;
  auto directory = run_directory::open_named_or_make_new(o.run_directory);
  if (!directory)
    return report_error("up", 2, directory.error().message);
  local.run_directory = (*directory)->path();
  local.data_directory = o.data_directory;
  local.with_node = !o.no_node;
  local.with_operator = !o.no_operator;
  local.authorization = o.authorization;
  local.is_di_server_access_said =
      std::any_of(o.flags.assigned.begin(), o.flags.assigned.end(),
                  [](const auto& s) { return s.name == "di-server-access"; });
  local.settings = *settings;
  auto simulated = parse_simulation(o.node);
  if (!simulated)
    return report_error("up", 2, simulated.error().message);
  if (*simulated && o.no_node)
    return report_error("up", 2,
                        "--node simulated and --no-node exclude each other");
  if (!o.node.isolation.empty() && o.no_node)
    return report_error("up", 2,
                        "--isolation and --no-node exclude each other");
  local.simulated = *simulated;
  local.isolation = parse_isolation_kind_or_automatic(o.node.isolation);
  auto volumes = parse_volumes(o.node);
  if (!volumes)
    return report_error("up", 2, volumes.error().message);
  if (!volumes->empty() && o.no_node)
    return report_error("up", 2, "--volume and --no-node exclude each other");
  local.volumes = std::move(*volumes);
  auto work = parse_work_directory(o.node);
  if (!work)
    return report_error("up", 2, work.error().message);
  if (!work->empty() && o.no_node)
    return report_error("up", 2, "--workdir and --no-node exclude each other");
  local.work_directory = std::move(*work);
  auto path = o.kubeconfig_out.empty() ? local.run_directory + "/kubeconfig"
                                       : o.kubeconfig_out;
  auto cluster = start_local_cluster(std::move(local));
  if (!cluster)
    return report_error("up", 1, cluster.error().message);
  auto kubeconfig = kubeconfig_file::create(path, (*cluster)->kubeconfig());
  if (!kubeconfig)
    return report_error("up", 1,
                        (o.kubeconfig_out.empty() ? "" : "--kubeconfig-out: ")
                            + kubeconfig.error().message);
  std::cout << "# API server: " << (*cluster)->server_url() << "\n"
            << "# Logs:       " << (*directory)->path() << "\n";
  if (auto url = (*cluster)->url_from_other_machines_or_empty(); !url.empty())
    std::cout << "# Elsewhere:  " << url << " (put it into the kubeconfig)\n";
  if (auto url = (*cluster)->admin_url(); !url.empty())
    std::cout << "# Admin:      " << url << "\n";
  if (!*simulated && !o.no_node)
    for (const auto& line : describe_isolation((*cluster)->pod_isolation()))
      std::cout << "# " << line << "\n";
  if (auto text = describe_authorization(o.authorization); !text.empty())
    std::cout << "# " << text << "\n";
  std::cout << (*simulated ? "# Simulated: pods run no program."
                           : "# No image is pulled: containers run as "
                             "processes of this machine.")
            << " Ctrl-C ends all.\n"
            << "export KUBECONFIG=" << path << std::endl;
  stop.wait_for_signal();
  cluster->reset();
  if (auto files = (*directory)->keep_if_work_files(); !files.empty())
    std::cout << "# Files that pods wrote in their working directories: "
              << files << std::endl;
  if (auto files = (*directory)->keep_if_claim_files(); !files.empty())
    std::cout << "# Volumes of claims: " << files << std::endl;
  return 0;
}

} // namespace

void add_up_command(CLI::App& app, command_action& action) {
  auto* command = app.add_subcommand(
      "up", "A cluster in this process: API server, node and operator");
  auto o = std::make_shared<up_options>();
  command
      ->add_option("--listen", o->listen,
                   "Where the API server listens; it asks for the token in the "
                   "kubeconfig, and other machines for TLS, by the authority "
                   "there [127.0.0.1, a free port]")
      ->type_name("HOST:PORT");
  command
      ->add_option("--kubeconfig-out", o->kubeconfig_out,
                   "Where to write the kubeconfig, which has a token in it "
                   "[RUN-DIR/kubeconfig]")
      ->type_name("FILE");
  command
      ->add_option("--run-dir", o->run_directory,
                   "For logs and the like; a new one below /tmp otherwise")
      ->type_name("DIRECTORY");
  command
      ->add_option("--data", o->data_directory,
                   "Keep all objects in this directory, with the token and "
                   "the authority of the kubeconfig, and begin with those that "
                   "are there; in memory otherwise")
      ->type_name("DIRECTORY");
  add_node_flags(*command, o->node);
  command->add_flag("--no-node", o->no_node,
                    "Without the node: pods stay Pending until somebody else "
                    "plays the kubelet");
  command->add_flag("--no-operator", o->no_operator,
                    "Without the operator: start one with `troupe operator`");
  add_authorization_flag(*command, o->authorization);
  config::add_all_setting_flags(*command, o->flags);
  command->callback([=, &action] { action = [=] { return run_up(*o); }; });
}

} // namespace troupe::cli
