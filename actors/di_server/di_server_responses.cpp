#include "actors/di_server/di_server_responses.hpp"

#include "frameworks/di/requests/replica_response.hpp"
#include "frameworks/di/requests/request_errors.hpp"

namespace troupe::actors {

namespace {

k8s::http::response plain_text_response(int status, std::string body) {
  k8s::http::response r;
  r.status = status;
  r.content_type = "text/plain; charset=utf-8";
  r.body = std::move(body);
  return r;
}

/// As the server of each version has it.
k8s::http::response page_not_found_response(const std::string& path) {
  if (path.rfind("/v2alpha1/", 0) != 0)
    return plain_text_response(404, "404 page not found\n");
  auto r = plain_text_response(404, "404 page not found");
  r.content_type = "text/plain";
  return r;
}

di_server_request decode_tasks_request(const frameworks::di::http_request& q,
                                       const std::string& client) {
  auto decoded = frameworks::di::decode_task_request(q, client);
  if (!decoded)
    return page_not_found_response(q.path);
  if (auto* response = std::get_if<core::job_response>(&*decoded))
    return to_task_http_response(*response);
  return std::get<frameworks::di::task_request_ptr>(std::move(*decoded));
}

} // namespace

k8s::http::response to_http_response(const core::job_response& r) {
  k8s::http::response out;
  out.status = r.status;
  out.body = frameworks::di::to_response_body(r);
  return out;
}

k8s::http::response to_task_http_response(const core::job_response& r) {
  auto out = to_http_response(r);
  out.content_type = "application/json; charset=utf-8";
  return out;
}

std::string metrics_page_of(const std::string& path) {
  if (frameworks::di::is_replica_path(path))
    return path;
  return frameworks::di::is_task_path(path) ? "/v2alpha1/job" : "";
}

std::string metrics_method_of(const std::string& method) {
  for (const char* known :
       {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
    if (method == known)
      return method;
  return "other";
}

std::size_t di_server_body_limit(const k8s::http::request& head) {
  constexpr std::size_t most = 1u << 20;
  bool changes = head.method == "POST" || head.method == "DELETE";
  return changes && !metrics_page_of(head.path).empty() ? most : 0;
}

bool is_open_to_strangers(const k8s::http::request& head) {
  const frameworks::di::http_request request{head.method, head.path, head.query,
                                             ""};
  if (head.method != "GET" || !frameworks::di::is_replica_path(head.path))
    return false;
  auto decoded = frameworks::di::decode_replica_request(request, "");
  const auto* list = std::get_if<frameworks::di::replica_request_ptr>(&decoded);
  return !list || (*list)->job_lookup_pod().empty();
}

k8s::http::response stranger_http_response(const k8s::http::request& head,
                                           const std::string& client) {
  bool changes = head.method == "POST" || head.method == "DELETE";
  if (!frameworks::di::is_replica_path(head.path))
    return to_task_http_response(
        frameworks::di::no_pod_of_any_job_response(client, "null"));
  return to_http_response(frameworks::di::no_pod_of_any_job_response(
      client, changes ? frameworks::di::unchanged_entry_json() : "null"));
}

di_server_request decode_di_server_request(const k8s::http::request& q,
                                           const std::string& client) {
  if (q.path == "/healthz")
    return plain_text_response(200, "");
  const frameworks::di::http_request request{q.method, q.path, q.query, q.body};
  if (!frameworks::di::is_replica_path(q.path))
    return decode_tasks_request(request, client);
  auto decoded = frameworks::di::decode_replica_request(request, client);
  if (auto* response = std::get_if<core::job_response>(&decoded))
    return to_http_response(*response);
  return std::get<frameworks::di::replica_request_ptr>(std::move(decoded));
}

} // namespace troupe::actors
