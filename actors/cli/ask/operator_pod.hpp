#pragma once

#include "k8s/api.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace troupe::cli {

/// A pod of the operator, and the port of its admin endpoint.
struct operator_pod {
  std::string ns;
  std::string name;
  std::uint16_t admin_port = 0;
};

/// The pod that holds the Lease; without a Lease (null) the first one that is
/// ready. `pods` is a PodList. An error names the flag that helps.
k8s::result<operator_pod> choose_operator_pod(const nlohmann::json& pods,
                                              const nlohmann::json& lease);

/// Finds the pod by the label of the Deployment in deploy/, in this namespace,
/// or ("") in all namespaces that the user may list.
k8s::result<operator_pod> find_operator_pod(k8s::api& client,
                                            const std::string& ns);

} // namespace troupe::cli
