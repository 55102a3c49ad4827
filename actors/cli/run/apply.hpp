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

/// How objects of kinds that the server does not know are treated.
enum class unknown_kinds { are_errors, are_left_out };

/// Creates what the jobs need, definitions and namespaces first, and then the
/// jobs. An existing object is updated; an existing job is an error, after
/// which none of the created jobs stays. An object whose kind the server does
/// not know is left out if that is allowed, unless it is of the core group,
/// which has no objects of other controllers.
k8s::result<applied_workload>
apply_workload(k8s::api& client, const workload& load, unknown_kinds unknown);

/// Deletes the job, and thereby its pods. Supporting objects stay.
void delete_job_ignoring_failure(k8s::api& client, const job_manifest& job,
                                 const k8s::resource& type);

} // namespace troupe::cli
