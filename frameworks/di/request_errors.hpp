#pragma once

#include "frameworks/di/replica_request.hpp"

#include <optional>

namespace troupe::frameworks::di {

/// The response to a request that cannot be carried out, and which nothing has
/// to be read for; nullopt for the others.
std::optional<core::job_response>
find_request_error(const replica_request& q, const core::request_inputs& in);

} // namespace troupe::frameworks::di
