#pragma once

#include "actors/cli/workload.hpp"
#include "k8s/api.hpp"
#include "k8s/objects.hpp"

namespace troupe::cli {

/// Creates what the job needs, then the job. What is there already is brought
/// in line, except for the job: that is an error. Gives the job's resource.
k8s::result<k8s::resource> apply(k8s::api& client, const workload& load);

/// Deletes the job; its pods go with it. Supporting objects stay.
void delete_job(k8s::api& client, const workload& load,
                const k8s::resource& type);

} // namespace troupe::cli
