#include "k8s/node/base/node_registration.hpp"

#include "k8s/general/architecture.hpp"

#include <sys/utsname.h>
#include <unistd.h>

namespace troupe::k8s::node {

namespace {

json make_node_resources(const node_options& options) {
  auto memory = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES))
                * ::sysconf(_SC_PAGESIZE);
  json out{{"pods", std::to_string(options.max_pods)},
           {"cpu", std::to_string(::sysconf(_SC_NPROCESSORS_ONLN))},
           {"memory", std::to_string(memory / 1024) + "Ki"}};
  if (!options.gpus.empty())
    out["nvidia.com/gpu"] = std::to_string(options.gpus.size());
  return out;
}

json make_node_info() {
  utsname host{};
  ::uname(&host);
  return {{"operatingSystem", "linux"},
          {"architecture", architecture_of(host.machine)},
          {"kernelVersion", host.release},
          {"kubeletVersion", "troupe"},
          {"containerRuntimeVersion", "process://"}};
}

} // namespace

void register_node(node_client& client, const node_options& options,
                   const std::string& reason, const std::string& message,
                   const std::string& address) {
  json ready{{"type", "Ready"},
             {"status", "True"},
             {"reason", reason},
             {"message", message}};
  const auto resources = make_node_resources(options);
  json status{
      {"conditions", json::array({ready})},
      {"addresses",
       json::array({{{"type", "InternalIP"}, {"address", address}},
                    {{"type", "Hostname"}, {"address", options.name}}})},
      {"capacity", resources},
      {"allocatable", resources},
      {"nodeInfo", make_node_info()}};
  json body{{"apiVersion", "v1"},
            {"kind", "Node"},
            {"metadata",
             {{"name", options.name},
              {"labels",
               {{"kubernetes.io/hostname", options.name},
                {"node-role.kubernetes.io/worker", ""}}}}}};
  const resource nodes{"", "v1", "nodes", "Node"};
  auto write_status =
      merge_patch({nodes, "", options.name}, to_text({{"status", status}}));
  write_status.path += "/status";
  // It may be there already, from an earlier run.
  client.send_with_retries(create(nodes, "", to_text(body)),
                           [&client, write_status](const result<std::string>&) {
                             client.send_with_retries(write_status);
                           });
}

} // namespace troupe::k8s::node
