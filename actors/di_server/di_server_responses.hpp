#pragma once

#include "frameworks/core/job_request.hpp"
#include "frameworks/di/replica_request.hpp"
#include "k8s/http/server.hpp"

#include <string>
#include <variant>

namespace troupe::actors {

k8s::http::response to_http(const core::job_response& r);

/// What a job has to be asked for, or the response if there is nothing to ask.
/// `client` is its address, "" if anybody may ask.
std::variant<frameworks::di::replica_request_ptr, k8s::http::response>
decode_di_server_request(const k8s::http::request& q,
                         const std::string& client);

} // namespace troupe::actors
