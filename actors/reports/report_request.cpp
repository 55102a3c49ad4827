#include "actors/reports/report_request.hpp"

#include "frameworks/core/spec/pod_progress.hpp"
#include "frameworks/core/spec/progress_report.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <vector>

namespace troupe::actors {

namespace {

namespace http = k8s::http;

/// Those of API servers have one to two kilobytes.
constexpr std::size_t longest_token = 16 * 1'024;

/// "" if the request has none.
std::string bearer_token_of(const http::request& q) {
  constexpr std::string_view scheme = "Bearer ";
  const auto& text = q.header("authorization");
  bool fits = text.size() > scheme.size() && text.size() <= longest_token
              && text.compare(0, scheme.size(), scheme) == 0;
  return fits ? text.substr(scheme.size()) : "";
}

/// The parts of "/progress/namespaces/NS/PLURAL/NAME" after the first; empty
/// for another path.
std::vector<std::string> parts_of_path(const std::string& path) {
  const auto root = std::string{reports_path} + "/namespaces/";
  auto parts = k8s::split_without_empty_parts(
      std::string_view{path}.substr(std::min(root.size(), path.size())), '/');
  bool is_whole = parts.size() == 3 && path == root + k8s::join(parts, "/");
  return is_whole ? parts : std::vector<std::string>{};
}

} // namespace

std::string report_request::audience() const {
  return core::report_audience(ns, plural, name);
}

bool is_report_path(const std::string& path) {
  const auto root = std::string{reports_path} + "/";
  return path.compare(0, root.size(), root) == 0;
}

std::variant<report_request, http::response>
decode_report_request(const http::request& q) {
  auto parts = parts_of_path(q.path);
  auto token = bearer_token_of(q);
  if (parts.empty() || token.empty())
    return not_a_pod_of_job_response();
  if (q.method != "POST")
    return status_response(405, "MethodNotAllowed",
                           "a report is sent by POST, not " + q.method);
  if (q.body.size() > core::max_report_bytes)
    return status_response(413, "RequestEntityTooLarge",
                           "a report has at most "
                               + std::to_string(core::max_report_bytes)
                               + " bytes");
  return report_request{parts[0], parts[1], parts[2], std::move(token), q.body};
}

http::response status_response(int code, const std::string& reason,
                               const std::string& message) {
  http::response r;
  r.status = code;
  r.body = k8s::to_text({{"kind", "Status"},
                         {"apiVersion", "v1"},
                         {"metadata", k8s::json::object()},
                         {"status", "Failure"},
                         {"message", message},
                         {"reason", reason},
                         {"code", code}});
  return r;
}

http::response not_a_pod_of_job_response() {
  return status_response(403, "Forbidden",
                         "only a pod of the job may report, with the token at "
                         "KUBEFLOW_TRAINER_SERVER_TOKEN, while it runs");
}

http::response too_many_reports_response() {
  auto r =
      status_response(429, "TooManyRequests", "a pod may report once a second");
  r.headers["Retry-After"] = "1";
  return r;
}

} // namespace troupe::actors
