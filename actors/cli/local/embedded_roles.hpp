#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace troupe::cli {

/// The operator's account in a cluster.
inline constexpr const char* operator_namespace = "kubeflow";
inline constexpr const char* operator_account = "training-operator";

/// The account, roles and bindings of deploy/rbac as they are installed, those
/// for users included, and the right of deploy/overlays/pod-logs to read logs.
/// The program contains them.
std::vector<nlohmann::json> embedded_roles();

} // namespace troupe::cli
