#pragma once

#include "k8s/apiserver/state/server_state.hpp"

#include <string>

namespace troupe::k8s::apiserver {

// Keeps what a kube-controller-manager keeps in a cluster: in every namespace
// the service account "default", and the ConfigMap "kube-root-ca.crt" with the
// authority of the server's certificate, if there is one; and the rules of
// aggregated ClusterRoles.

/// Makes the missing objects in all namespaces, and renews those that are out
/// of date.
void ensure_default_objects_in_all_namespaces(server_state& state);

/// To be called after a write to this bucket in this namespace (for a
/// namespace: its name). Makes the missing objects there, or aggregates the
/// ClusterRoles if the bucket has those.
void run_controllers_of_written_bucket(server_state& state,
                                       const std::string& bucket,
                                       const std::string& ns);

} // namespace troupe::k8s::apiserver
