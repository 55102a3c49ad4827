#pragma once

#include "frameworks/core/pass/job_request.hpp"
#include "frameworks/di/requests/replica_request.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::frameworks::di {

/// Addresses "pod.namespace:port"; nullopt is written as null.
using urls = std::optional<std::vector<std::string>>;

/// The replicas of one job, in a response.
struct replica_entry {
  std::string ns;
  std::string coordinator;
  urls collectors;
  urls learners;
};

/// JSON text.
std::string to_json_text(const replica_entry& e);

/// The entry of a request that has changed nothing.
std::string unchanged_entry_json();

/// Status 400: nothing was changed.
core::job_response bad_request_response(const std::string& why);

/// The message of a success.
const char* success_message(request_verb v);

/// The response for an unknown job is the same as for a job without the pod.
core::job_response pod_not_found_response(const std::string& ns,
                                          const std::string& pod,
                                          std::string data);

/// The body of the HTTP response: {"success", "code", "message", "data"}.
std::string to_response_body(const core::job_response& r);

/// One response from those of all jobs of a list: an array of their entries.
/// Jobs whose pods may not ask are left out. If one response is a 503, it is
/// the response, because the list would not be complete.
core::job_response
join_list_responses(const std::vector<core::job_response>& of_jobs);

} // namespace troupe::frameworks::di
