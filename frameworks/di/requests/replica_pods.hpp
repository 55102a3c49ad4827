#pragma once

#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/requests/gpu_allocation.hpp"
#include "frameworks/di/requests/replica_request.hpp"
#include "k8s/json.hpp"

#include <string>

namespace troupe::frameworks::di {

// The pods that are created on request.

/// A collector or a plain learner with these resources.
k8s::result<complete_pod> make_collector_or_learner_pod(
    const core::job& j, const char* role, const std::string& name,
    const replica_amount& wanted, const core::cluster_options& cluster);

/// `config`: the AggregatorConfig, JSON text.
k8s::result<complete_pod>
make_aggregator_pod(const core::job& j, const std::string& name,
                    const std::string& config,
                    const core::cluster_options& cluster);

/// The pod that a ddp learner belongs to.
struct aggregator_ref {
  std::string name;
  std::string uid;
};

struct ddp_learner {
  gpu_slice slice;
  bool is_alone = true; ///< Its logic learner has no other pod.
  std::string master;   ///< Name of the first pod; "" if it is that itself.
  aggregator_ref aggregator;
};

/// `wanted` says how much cpu and memory each pod gets.
k8s::result<complete_pod>
make_ddp_learner_pod(const core::job& j, const std::string& name,
                     const ddp_learner& what, const replica_amount& wanted,
                     const core::cluster_options& cluster);

/// A new pod with the spec, labels, annotations and owners that `old` has on
/// the server, but not bound to a node. If `master` is not "", it is the new
/// MASTER_ADDR.
complete_pod make_replacement_pod(const k8s::json& old, const std::string& name,
                                  const std::string& master = "");

/// Whether the pod is the first of several pods of a logic learner.
bool is_ddp_master(const k8s::json& pod);

/// What was asked for the logic learner of this ddp learner: the GPUs of all
/// its pods, cpu and memory of each. 0 GPUs if the pod does not say.
replica_amount logic_learner_amount_from_pod(const k8s::json& pod);

} // namespace troupe::frameworks::di
