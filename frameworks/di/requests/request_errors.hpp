#pragma once

#include "frameworks/di/requests/replica_request.hpp"

#include <optional>
#include <string>

namespace troupe::frameworks::di {

/// The response to a request that cannot be carried out, as far as that is
/// known without reading anything; nullopt for all others.
std::optional<core::job_response>
request_error_response_before_reads(const replica_request& q,
                                    const core::request_inputs& in);

/// The response to a client whose address no pod of the job has.
core::job_response no_pod_of_job_response(const core::job_request& q,
                                          const core::job& j, std::string data);

/// The response to a client whose address no pod of any job has.
core::job_response no_pod_of_any_job_response(const std::string& client,
                                              std::string data);

} // namespace troupe::frameworks::di
