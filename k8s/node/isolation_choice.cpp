#include "k8s/node/isolation_choice.hpp"

#include "k8s/general/files.hpp"
#include "k8s/node/base/elf_interpreter.hpp"
#include "k8s/node/containers/container_plan.hpp"
#include "k8s/node/containers/exec_context.hpp"
#include "k8s/node/containers/process.hpp"
#include "k8s/node/namespaces/container_mounts.hpp"
#include "k8s/node/namespaces/sandbox_setup.hpp"

#include <filesystem>
#include <sys/socket.h>

namespace troupe::k8s::node {

namespace {

constexpr std::uint16_t dns_port = 53;
constexpr unsigned probe_number = 255; ///< No pod has it.

/// A program that is there whatever the host has.
json make_probe_pod(const node_directory& directory) {
  json c{{"name", "probe"},
         {"command", {directory.tools_directory() + "/kubectl"}}};
  return {{"metadata",
           {{"name", "probe"}, {"namespace", "default"}, {"uid", "probe"}}},
          {"spec", {{"containers", json::array({c})}}}};
}

/// Starts a container as any other; what it does does not matter.
std::optional<failure>
start_probe_container_and_wait(const json& pod, const pod_sandbox& sandbox,
                               const node_directory& directory) {
  container_plan plan;
  if (auto why = make_container_plan(pod, pod["spec"]["containers"][0], sandbox,
                                     {}, plan))
    return failure{ec::invalid, why->message};
  if (auto bad = make_container_directories_with_empty_tmp(plan.name, sandbox))
    return bad;
  boost::asio::io_context io;
  auto started = process::start(
      io, directory.reaper_file(), plan, [](std::string_view) {},
      [](const process_end&) {});
  if (!started)
    return started.error();
  io.run(); // To its end.
  return std::nullopt;
}

/// The reaper has left a word of it (container_root.h).
bool has_used_overlay(const pod_sandbox& sandbox) {
  std::error_code wrong;
  return std::filesystem::exists(
      sandbox.namespaces.working_dir_overlays + "/probe/mounted", wrong);
}

/// Whether containers share the working directory, or why there are none.
result<bool>
probe_shared_working_dir(const std::shared_ptr<cluster_namespaces>& cluster,
                         const node_options& options,
                         const node_directory& directory) {
  auto pod = make_probe_pod(directory);
  pod_sandbox sandbox;
  sandbox.address = cluster->subnet().address(probe_number);
  sandbox.hostname = "probe";
  sandbox.work_directory = options.work_directory;
  sandbox.is_work_directory_written = options.is_work_directory_written;
  sandbox.tools_directory = directory.tools_directory();
  if (auto bad = add_sandbox_namespaces(pod, cluster, directory,
                                        options.cluster_domain, sandbox))
    return *bad;
  auto bad = start_probe_container_and_wait(pod, sandbox, directory);
  bool is_shared =
      !options.is_work_directory_written && !has_used_overlay(sandbox);
  unmount_and_remove_sandbox_directories(*cluster, sandbox);
  if (bad)
    return *bad;
  return is_shared;
}

result<isolation_choice>
start_and_probe_namespaces(const node_options& options,
                           const node_directory& directory) {
  isolation_choice out;
  auto cluster = cluster_namespaces::start(directory.namespace_holder_file(),
                                           options.subnet);
  if (!cluster)
    return cluster.error();
  auto is_shared = probe_shared_working_dir(*cluster, options, directory);
  if (!is_shared)
    return is_shared.error();
  out.is_work_directory_shared = *is_shared;
  out.shared_private_directory =
      find_private_directory_at(options.work_directory);
  auto udp = (*cluster)->listen_on_bridge(SOCK_DGRAM, dns_port);
  if (!udp)
    return udp.error();
  auto tcp = (*cluster)->listen_on_bridge(SOCK_STREAM, dns_port);
  if (!tcp)
    return tcp.error();
  out.kind = isolation_kind::namespaces;
  out.cluster = std::move(*cluster);
  out.dns_udp = std::move(*udp);
  out.dns_tcp = std::move(*tcp);
  return out;
}

/// The preload library, unless it would make the machine's programs crash.
result<isolation_choice> choose_preload(isolation_choice& out,
                                        const node_options& options) {
  out.kind = isolation_kind::preload;
  auto shell = read_file("/bin/sh");
  if (!shell)
    return std::move(out);
  auto obstacle = find_preload_obstacle(find_elf_interpreter(*shell));
  out.why_no_preload = obstacle.why;
  if (!obstacle.makes_crash)
    return std::move(out);
  if (options.isolation == isolation_kind::preload)
    return failure{ec::invalid, "preload does not work here: " + obstacle.why
                                    + "; choose --isolation none"};
  out.kind = isolation_kind::none;
  return std::move(out);
}

} // namespace

result<isolation_choice>
choose_and_start_isolation(const node_options& options,
                           const node_directory& directory) {
  isolation_choice out;
  out.kind = options.isolation;
  if (out.kind == isolation_kind::none)
    return out;
  if (out.kind == isolation_kind::preload)
    return choose_preload(out, options);
  auto tried = start_and_probe_namespaces(options, directory);
  if (tried)
    return tried;
  if (options.isolation == isolation_kind::namespaces)
    return failure{ec::invalid,
                   "namespaces do not work here: " + tried.error().message};
  out.why_not = tried.error().message;
  return choose_preload(out, options);
}

} // namespace troupe::k8s::node
