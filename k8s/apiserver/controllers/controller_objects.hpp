#pragma once

#include "k8s/apiserver/state/server_state.hpp"

#include <string>

namespace troupe::k8s::apiserver {

// What a kube-controller-manager keeps in a cluster: in every namespace the
// service account "default", and the ConfigMap "kube-root-ca.crt" with the
// authority of the server's certificate, if there is one; and the rules of
// aggregated ClusterRoles.

/// Makes what is missing in all namespaces, and renews what is out of date.
void ensure_default_objects_in_all_namespaces(server_state& state);

/// After a write of this bucket in this namespace (of a namespace: its name),
/// makes what is missing there.
void run_builtin_controllers(server_state& state, const std::string& bucket,
                             const std::string& ns);

} // namespace troupe::k8s::apiserver
