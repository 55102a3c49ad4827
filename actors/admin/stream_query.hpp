#pragma once

#include "actors/base/messages.hpp"
#include "k8s/http/server.hpp"

#include <cstdint>
#include <optional>

namespace troupe::actors {

/// What a request for a stream asks for: changes of one job, or of the list.
struct stream_subject {
  std::optional<get_job_report> job;
  std::uint64_t revision = 0; ///< Of the list, known to the client.
};

/// The parameters `job` and `since`. An error names the parameter.
k8s::result<stream_subject> parse_stream_query(const k8s::http::request& q);

} // namespace troupe::actors
