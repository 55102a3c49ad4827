#pragma once

#include "frameworks/core/pass/job_request.hpp"
#include "frameworks/di/requests/replica_request.hpp"

#include <string>
#include <vector>

namespace troupe::frameworks::di {

// Which pods a request is about.

using pod_views = std::vector<const core::child_view*>;

/// The job's pods of a role that are not being deleted, by name.
pod_views list_undeleted_replicas_of_role(const core::observed_children& seen,
                                          const char* role);

/// The ddp learners of an aggregator that are not being deleted, by name.
pod_views list_undeleted_ddp_learners_of(const core::observed_children& seen,
                                         const std::string& aggregator);

/// The pod of the job with that name, or nullptr. It may be terminating, unless
/// we have requested its deletion.
const core::child_view*
find_pod_not_deleted_by_us(const core::observed_children& seen,
                           const std::string& name);

/// Where the other pods reach a pod.
std::string pod_url(const core::child_view& pod, const std::string& ns);

/// Up to `count` replicas that the job needs least: first those that have
/// ended, then those that do not run yet, then the youngest.
pod_views choose_replicas_to_remove(pod_views all, std::int64_t count);

/// Whether the request comes from a pod of the job, or anybody may ask. Pods
/// that have ended, and pods on the network of their node, do not count: a
/// cluster may give the address of the former to another pod, and other pods
/// share that of the latter.
bool is_request_source_allowed(const core::job_request& q,
                               const core::observed_children& seen);

/// The response to a request that lists replicas.
core::job_response list_replicas_response(const replica_request& q,
                                          const core::request_inputs& in);

} // namespace troupe::frameworks::di
