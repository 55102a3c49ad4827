#pragma once

#include "frameworks/core/pass/job_request.hpp"

#include <memory>

namespace troupe::frameworks::di {

/// Carries out a request on a DIJob; `request` is a replica_request. Collectors
/// are changed before learners, and the first error decides the response, which
/// contains what was done until then.
std::unique_ptr<core::request_execution>
make_replica_request_execution(const core::job_request_ptr& request);

} // namespace troupe::frameworks::di
