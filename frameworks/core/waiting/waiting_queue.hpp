#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

#include <string>

namespace troupe::core {

// What a job waits for because of a queue of Kueue's; nullopt: not for that.

/// Of a job that is being deleted: pods that hold its quota.
std::optional<waiting_reason>
waiting_for_quota_of_deleted_job(const waiting_inputs& in);

/// The step of its queueing that has failed.
std::optional<waiting_reason>
waiting_for_failed_queue_call(const waiting_inputs& in);

/// Its admission, or what has to happen before it can be asked for.
std::optional<waiting_reason> waiting_for_queue(const waiting_inputs& in);

/// Of a job that runs: quota for the pods by which it has grown.
std::optional<waiting_reason>
waiting_for_quota_of_growth(const waiting_inputs& in);

/// Why a job that names a queue, or is to wait without, is not queued by this
/// operator, a sentence; "": it is, or nothing wants it to be.
std::string why_not_queued(const job& j, const job_status& saved,
                           const cluster_options& cluster);

} // namespace troupe::core
