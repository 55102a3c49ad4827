#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace troupe::cli {

/// The operator's account in a cluster.
inline constexpr const char* operator_namespace = "kubeflow";
inline constexpr const char* operator_account = "training-operator";

/// The account, roles and bindings of deploy/rbac, users included, as they are
/// installed, and the right to read logs of deploy/overlays/pod-logs. They are
/// inside the program.
std::vector<nlohmann::json> embedded_roles();

} // namespace troupe::cli
