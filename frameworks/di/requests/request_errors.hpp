#pragma once

#include "frameworks/di/requests/replica_request.hpp"

#include <optional>
#include <string>

namespace troupe::frameworks::di {

/// The response to a request that cannot be carried out, and which nothing has
/// to be read for; nullopt for the others.
std::optional<core::job_response>
request_error_response(const replica_request& q,
                       const core::request_inputs& in);

/// The client has not the address of one of the job's pods.
core::job_response forbidden_response(const core::job_request& q,
                                      const core::job& j, std::string data);

/// The client has not the address of a pod of any job.
core::job_response stranger_response(const std::string& client,
                                     std::string data);

} // namespace troupe::frameworks::di
