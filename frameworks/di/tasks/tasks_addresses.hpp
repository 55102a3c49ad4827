#pragma once

#include "frameworks/core/pass/job_request.hpp"

#include <memory>
#include <string>

namespace troupe::frameworks::di {

/// Where the pods of a job of tasks are reached, as a JSON array:
/// "address:port" at the position of each pod's rank, "" for a pod without an
/// address. null if no pod has one.
std::string addresses_by_rank_json_or_null(const core::job& j,
                                           const core::observed_children& seen);

/// Carries out a request to a job of tasks; `request` is a task_request. The
/// first step has the response.
std::unique_ptr<core::request_execution>
make_task_request_execution(const core::job_request_ptr& request);

} // namespace troupe::frameworks::di
