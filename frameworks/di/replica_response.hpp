#pragma once

#include "frameworks/core/job_request.hpp"
#include "frameworks/di/replica_request.hpp"

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
std::string to_data(const replica_entry& e);

/// The entry of a request that has changed nothing.
std::string nothing_done();

/// The message of a success.
const char* message_of(request_verb v);

/// A job that nothing is known of is not told from one without the pod.
core::job_response pod_not_found(const std::string& ns, const std::string& pod,
                                 std::string data);

/// The body of the HTTP response: {"success", "code", "message", "data"}.
std::string to_body(const core::job_response& r);

/// One response from those of all jobs of a list: an array of their entries.
/// Jobs whose pods may not ask are left out; a 503 is the response, since the
/// list would not be whole.
core::job_response join_lists(const std::vector<core::job_response>& of_jobs);

} // namespace troupe::frameworks::di
