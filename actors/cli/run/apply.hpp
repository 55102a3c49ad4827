#pragma once

#include "actors/cli/manifest/workload.hpp"
#include "k8s/api.hpp"
#include "k8s/objects.hpp"

#include <vector>

namespace troupe::cli {

/// What has been created.
struct applied_workload {
  std::vector<k8s::resource> types; ///< Of the jobs, in their order.
  std::vector<left_out_object> left_out;
};

/// Which kinds have to be there.
enum class unknown_kinds { are_errors, are_left_out };

/// Creates what the jobs need, definitions and namespaces first, then the jobs.
/// What is there already is brought in line, except for a job: that is an
/// error, and none of them stays. Objects of kinds that the server does not
/// know are left out if they may be, unless they are of the core group: it has
/// no other controllers' objects.
k8s::result<applied_workload>
apply_workload(k8s::api& client, const workload& load, unknown_kinds unknown);

/// Deletes the job; its pods go with it. Supporting objects stay.
void delete_job_ignoring_failure(k8s::api& client, const job_manifest& job,
                                 const k8s::resource& type);

} // namespace troupe::cli
