#pragma once

#include "frameworks/di/requests/replica_change.hpp"
#include "frameworks/di/requests/request_changes.hpp"

#include <memory>

namespace troupe::frameworks::di {

/// What all pods of a request are made from, as it was when the request began.
struct pod_origin {
  core::job of;
  core::cluster_options cluster;
};

using pod_origin_ptr = std::shared_ptr<const pod_origin>;

pod_origin_ptr make_pod_origin(const core::request_inputs& in);

/// A collector or a plain learner.
change_stages stages_to_create_collector_or_learner(
    const pod_origin_ptr& from, const char* role, const replica_amount& wanted);

/// An aggregator and its ddp learners. ec::invalid if there are too many.
k8s::result<change_stages>
stages_to_create_logic_learner(const pod_origin_ptr& from,
                               const replica_amount& wanted,
                               const request_material& material);

/// Appends the ddp learners to stages that create their aggregator first.
/// ec::invalid if there are too many.
k8s::result<k8s::nothing> append_ddp_learners(change_stages& stages,
                                              const pod_origin_ptr& from,
                                              const replica_amount& wanted,
                                              std::int64_t gpus_per_node);

} // namespace troupe::frameworks::di
