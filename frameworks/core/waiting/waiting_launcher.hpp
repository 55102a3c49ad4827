#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

namespace troupe::core {

// Rows about the launcher of a job whose pods a batch/v1 Job makes.

/// Of a launcher that starts when all workers are ready: which are not.
std::optional<waiting_reason>
waiting_for_workers_before_launcher(const waiting_inputs& in);

/// The Job is not there, or is suspended although the job is not.
std::optional<waiting_reason>
waiting_for_launcher_job(const waiting_inputs& in);

/// The Job is there, and its controller has to make a pod.
std::optional<waiting_reason>
waiting_for_launcher_pod(const waiting_inputs& in);

} // namespace troupe::core
