#pragma once

#include "k8s/apiserver/controllers/job_plan.hpp"

namespace troupe::k8s::apiserver {

/// A new pod of the Job; the index is -1 if it has none.
json make_job_pod(const json& job, int index);

/// An event about the Job.
json make_job_event(const json& job, const job_event& event,
                    const std::string& time);

} // namespace troupe::k8s::apiserver
