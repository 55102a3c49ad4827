#pragma once

#include "actors/cli/workload.hpp"
#include "k8s/api.hpp"
#include "k8s/objects.hpp"

#include <vector>

namespace troupe::cli {

/// Creates what the jobs need, then the jobs. What is there already is brought
/// in line, except for a job: that is an error, and none of them stays. Gives
/// the jobs' resources.
k8s::result<std::vector<k8s::resource>> apply_workload(k8s::api& client,
                                                       const workload& load);

/// Deletes the job; its pods go with it. Supporting objects stay.
void delete_job_ignoring_failure(k8s::api& client, const job_manifest& job,
                                 const k8s::resource& type);

} // namespace troupe::cli
