#pragma once

#include "frameworks/core/observed/observed.hpp"

namespace troupe::frameworks::mpi_ssh {

/// The launcher's Job, or nullptr.
const core::child_view* own_launcher_job(const core::observed_children& seen);

/// Whether that Job has made the pod. Its labels alone prove nothing.
bool is_launcher_pod(const core::child_view& pod,
                     const core::observed_children& seen);

} // namespace troupe::frameworks::mpi_ssh
