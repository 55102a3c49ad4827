#include "actors/di_server/di_server_responses.hpp"

#include "frameworks/di/replica_response.hpp"

namespace troupe::actors {

namespace {

k8s::http::response plain_text(int status, std::string body) {
  k8s::http::response r;
  r.status = status;
  r.content_type = "text/plain; charset=utf-8";
  r.body = std::move(body);
  return r;
}

} // namespace

k8s::http::response to_http(const core::job_response& r) {
  k8s::http::response out;
  out.status = r.status;
  out.body = frameworks::di::to_body(r);
  return out;
}

std::variant<frameworks::di::replica_request_ptr, k8s::http::response>
decode_di_server_request(const k8s::http::request& q,
                         const std::string& client) {
  if (q.path == "/healthz")
    return plain_text(200, "");
  if (!frameworks::di::is_replica_path(q.path))
    return plain_text(404, "404 page not found\n");
  auto decoded = frameworks::di::decode_replica_request(
      {q.method, q.path, q.query, q.body}, client);
  if (auto* response = std::get_if<core::job_response>(&decoded))
    return to_http(*response);
  return std::get<frameworks::di::replica_request_ptr>(std::move(decoded));
}

} // namespace troupe::actors
