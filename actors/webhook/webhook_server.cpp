#include "actors/webhook/webhook_server.hpp"

#include "actors/webhook/admission_review.hpp"

namespace troupe::actors {

namespace {

/// An API server opens a connection for each write in flight, 600 at most by
/// default, and keeps those that are idle for 90 s. It sends no job that is
/// larger than 3 MiB; a review may contain two.
k8s::http::limits webhook_limits() {
  k8s::http::limits l;
  l.body_bytes = 8u << 20;
  l.request_time = std::chrono::seconds{10};
  l.write_time = std::chrono::seconds{10};
  l.connections_per_client = 800;
  return l;
}

} // namespace

k8s::result<std::unique_ptr<k8s::http::server>>
start_webhook_server(const std::string& address, std::vector<std::string> hosts,
                     std::vector<const core::framework*> kinds) {
  k8s::http::access_policy who;
  who.bodies = {"application/json"};
  who.hosts = std::move(hosts);
  who.tls_only = true;
  return k8s::http::listen(
      address,
      [kinds = std::move(kinds)](const k8s::http::request& r,
                                 const k8s::http::response_writer_ptr& back) {
        back->reply(answer_admission_review(r, kinds));
      },
      webhook_limits(), std::move(who));
}

} // namespace troupe::actors
