#pragma once

#include "k8s/http/server.hpp"

#include <string>
#include <variant>

namespace troupe::actors {

/// The path below which pods report how far they are.
inline constexpr const char* reports_path = "/progress";

/// A report, not read yet, and the job that its path names.
struct report_request {
  std::string ns;
  std::string plural; ///< "pytorchjobs".
  std::string name;
  std::string token; ///< Of the pod.
  std::string body;

  /// The audience that a token for this job has.
  std::string audience() const;
};

/// Whether a request is one for this part of a server.
bool is_report_path(const std::string& path);

/// The report, or the answer to a request that is none. Whoever has no token
/// hears no more than that.
std::variant<report_request, k8s::http::response>
decode_report_request(const k8s::http::request& q);

/// A Status, as API servers answer.
k8s::http::response status_response(int code, const std::string& reason,
                                    const std::string& message);

/// 403: it does not say whether there is such a job.
k8s::http::response not_a_pod_of_job_response();

/// 429: one report a second.
k8s::http::response too_many_reports_response();

} // namespace troupe::actors
