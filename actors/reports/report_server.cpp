#include "actors/reports/report_server.hpp"

#include "frameworks/core/spec/progress_report.hpp"

#include <utility>

namespace troupe::actors {

namespace {

namespace http = k8s::http;

http::limits report_limits() {
  http::limits l;
  l.header_bytes = 32u << 10;
  l.body_bytes = 2 * core::max_report_bytes;
  l.request_time = std::chrono::seconds{10};
  l.write_time = std::chrono::seconds{10};
  l.connections = 2'000;
  l.connections_per_client = 100;
  l.request_bytes = 64u << 20;
  l.request_bytes_per_client = 8u << 20;
  return l;
}

} // namespace

std::size_t report_body_limit(const http::request& head) {
  return head.method == "POST" && is_report_path(head.path)
             ? 2 * core::max_report_bytes
             : 0;
}

k8s::result<std::unique_ptr<http::server>>
start_report_server(const std::string& address,
                    http::certificate_pair certificate,
                    std::shared_ptr<report_route> route) {
  http::access_policy who;
  who.body_media_types = {"application/json"}; // As at the webhooks' port.
  who.server_certificate = std::move(certificate);
  who.tls_only = true;
  who.body_limit = report_body_limit;
  return http::listen(
      address,
      [route = std::move(route)](const http::request& q,
                                 const http::response_writer_ptr& back) {
        if (is_report_path(q.path))
          route->answer(q, back);
        else
          back->reply(status_response(404, "NotFound",
                                      "only reports of pods are taken here"));
      },
      report_limits(), std::move(who));
}

} // namespace troupe::actors
