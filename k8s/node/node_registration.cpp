#include "k8s/node/node_registration.hpp"

namespace troupe::k8s::node {

void register_node(node_client& client, const node_options& options,
                   const std::string& reason, const std::string& message) {
  json ready{{"type", "Ready"},
             {"status", "True"},
             {"reason", reason},
             {"message", message}};
  json status{{"conditions", json::array({ready})},
              {"addresses", json::array({{{"type", "InternalIP"},
                                          {"address", host_address}}})},
              {"capacity", {{"pods", std::to_string(options.max_pods)}}}};
  json body{{"apiVersion", "v1"},
            {"kind", "Node"},
            {"metadata",
             {{"name", options.name},
              {"labels", {{"kubernetes.io/hostname", options.name}}}}}};
  const resource nodes{"", "v1", "nodes", "Node"};
  auto write_status =
      merge_patch({nodes, "", options.name}, to_text({{"status", status}}));
  write_status.path += "/status";
  // It may be there already, from an earlier run.
  client.send(create(nodes, "", to_text(body)),
              [&client, write_status](const result<std::string>&) {
                client.send(write_status);
              });
}

} // namespace troupe::k8s::node
