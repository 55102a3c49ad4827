#include "actors/cli/run/run_target.hpp"

#include "actors/cli/base/embedded_crds.hpp"
#include "k8s/rest/credentials/credentials.hpp"
#include "k8s/rest/rest_api.hpp"

namespace troupe::cli {

k8s::result<run_target> start_local_target(const run_options& o,
                                           const workload& load, screen& out) {
  run_target s;
  auto directory = run_directory::open_named_or_make_new(o.run_directory);
  if (!directory)
    return directory.error();
  s.logs = std::move(*directory);
  if (o.keep)
    s.logs->keep_on_exit();
  local_options local;
  local.run_directory = s.logs->path();
  auto settings =
      config::load_settings("", config::process_environment(),
                            {{"namespace", "", ""},
                             {"health-probe-bind-address", "0", ""},
                             {"metrics-bind-address", "0", ""},
                             {"admin-bind-address", "127.0.0.1:0", ""},
                             {"di-server-bind-address", "127.0.0.1:0", ""},
                             {"server-address", "", ""},
                             {"di-server-url", "", ""},
                             {"di-server-access", "anybody", ""},
                             {"mpi-operator-lease-namespaces", "", ""},
                             {"kueue", "off", ""}},
                            supported_schemes());
  if (!settings)
    return settings.error();
  local.settings = *settings;
  auto simulated = parse_simulation(o.node);
  if (!simulated)
    return simulated.error();
  local.simulated = *simulated;
  local.isolation = parse_isolation_kind_or_automatic(o.node.isolation);
  auto volumes = parse_volumes(o.node);
  if (!volumes)
    return volumes.error();
  local.volumes = std::move(*volumes);
  auto work = parse_work_directory(o.node);
  if (!work)
    return work.error();
  local.work_directory = std::move(*work);
  local.authorization = o.authorization;
  auto cluster = start_local_cluster(std::move(local));
  if (!cluster)
    return cluster.error();
  s.local = std::move(*cluster);
  for (const auto& job : load.jobs)
    s.local->ensure_namespace_ignoring_errors(job.ns);
  auto path = s.logs->path() + "/kubeconfig";
  auto kubeconfig = kubeconfig_file::create(path, s.local->kubeconfig());
  if (!kubeconfig)
    return kubeconfig.error();
  s.kubeconfig = std::move(*kubeconfig);
  s.client = s.local->client();
  out.print_line(*simulated ? "Simulated: pods run no program."
                            : "No image is pulled: containers run as processes "
                              "of this machine.");
  if (!*simulated)
    for (const auto& line : describe_isolation(s.local->pod_isolation()))
      out.print_line(line);
  if (auto text = describe_authorization(o.authorization); !text.empty())
    out.print_line(text);
  out.print_line("Logs:  " + s.logs->path());
  out.print_line("Look around: export KUBECONFIG=" + path);
  const auto& first = load.jobs.front();
  out.print_line("Admin: " + s.local->admin_url() + "/#/jobs"
                 + (load.jobs.size() > 1 ? ""
                                         : "/" + first.ns + "/" + first.kind
                                               + "/" + first.name));
  return s;
}

k8s::result<run_target> connect_target(const run_options& o, screen& out) {
  auto who = k8s::rest::config_from_kubeconfig(o.kubeconfig, o.context);
  if (!who)
    return who.error();
  out.print_line("Cluster: " + who->server);
  run_target s;
  s.client = k8s::rest::make_rest_api(std::move(*who));
  return s;
}

} // namespace troupe::cli
