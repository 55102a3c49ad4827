#pragma once

#include "frameworks/core/pass/job_request.hpp"
#include "frameworks/di/requests/replica_request.hpp"
#include "frameworks/di/tasks/tasks_request.hpp"
#include "k8s/http/server.hpp"

#include <string>
#include <variant>

namespace troupe::actors {

/// The response to a request for v1alpha1, and to one for v2alpha1.
k8s::http::response to_http_response(const core::job_response& r);
k8s::http::response to_task_http_response(const core::job_response& r);

/// The path without the name of a job, as a label of metrics; "" if di-server
/// has no such path.
std::string metrics_page_of(const std::string& path);

/// The method as a label of metrics; "other" for an unknown one, because
/// clients may send any word.
std::string metrics_method_of(const std::string& method);

/// The request to a job, or the response if no job has to be asked.
using di_server_request =
    std::variant<k8s::http::response, frameworks::di::replica_request_ptr,
                 frameworks::di::task_request_ptr>;

/// The largest body that a request with this head may have; 0: it may have
/// none.
std::size_t di_server_body_limit(const k8s::http::request& head);

/// Whether clients without a pod of a job may send a request with this head: a
/// list of the replicas of several jobs, which is empty for them, or a
/// malformed list request, which gets its error.
bool is_open_to_strangers(const k8s::http::request& head);

/// The response to a client whose address is not that of a job's pod.
k8s::http::response stranger_http_response(const k8s::http::request& head,
                                           const std::string& client);

/// `client` is the address of the client; "" if anybody may ask.
di_server_request decode_di_server_request(const k8s::http::request& q,
                                           const std::string& client);

} // namespace troupe::actors
