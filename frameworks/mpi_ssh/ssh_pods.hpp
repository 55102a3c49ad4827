#pragma once

#include "frameworks/core/model/framework.hpp"
#include "k8s/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::frameworks::mpi_ssh {

/// The pod of a worker, JSON text: sshd if its template names no program, the
/// keys, and the names of the job's other pods in its DNS searches.
/// With an attempt, it says of which it is. ec::invalid if the template is not
/// usable.
k8s::result<std::string>
make_worker_pod(const core::job& j, const core::slot& at,
                const core::cluster_options& cluster,
                std::optional<std::int32_t> attempt = {});

/// The batch/v1 Job of the launcher, without apiVersion, kind and owner. With
/// an attempt, it says of which it is, and so do its pods. If more than one pod
/// is restarted because of a failure, the Job makes its pod once only, and has
/// no deadline: else both would restart it.
core::auxiliary_object
launcher_job_object(const core::job& j, const core::cluster_options& cluster,
                    std::optional<std::int32_t> attempt = {});

/// JSON patches (arrays of operations) of that Job.
std::string suspension_patch();
/// Lets it run, with today's labels, annotations, node selector, tolerations
/// and scheduling gates of the launcher's template.
std::string resumption_patch(const core::job& j,
                             const core::cluster_options& cluster,
                             std::optional<std::int32_t> attempt = {});
/// Of its status: lets the API server accept another template.
std::string start_time_removal_patch();
/// Adds the label that watches select by, to one that mpi-operator made.
std::string operator_label_patch();

/// The event about a launcher's template that names a restart policy.
std::vector<core::job_event> launcher_template_warnings(const core::job& j);

} // namespace troupe::frameworks::mpi_ssh
