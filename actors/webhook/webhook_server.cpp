#include "actors/webhook/webhook_server.hpp"

#include "actors/base/heap.hpp"
#include "actors/webhook/admission_review.hpp"
#include "actors/webhook/conversion_review.hpp"
#include "actors/webhook/review_clients.hpp"
#include "actors/webhook/webhook_names.hpp"
#include "frameworks/registry.hpp"

#include <chrono>
#include <map>
#include <set>

namespace troupe::actors {

namespace {

/// The largest review, of a path that is reviewed. An API server sends no job
/// that is larger than 3 MiB; a review may contain two.
constexpr std::size_t review_bytes = 8u << 20;

/// An API server opens a connection for each write in flight, 600 at most by
/// default, and keeps those that are idle for 90 s. It has room for them
/// whatever other clients have: what they have more than it is closed for it.
k8s::http::limits webhook_limits() {
  k8s::http::limits l;
  l.body_bytes = review_bytes;
  l.request_time = std::chrono::seconds{10};
  l.write_time = std::chrono::seconds{10};
  l.connections = 1000;
  l.connections_per_client = 800;
  l.request_bytes = 96u << 20;
  l.request_bytes_per_client = 84u << 20;
  return l;
}

/// By path; requests to other paths are not counted.
std::map<std::string, webhook_meter*> make_webhook_meters(metrics& counters) {
  std::map<std::string, webhook_meter*> result;
  for (const auto& kind : frameworks::all()) {
    for (const auto& path :
         {validating_webhook_path(kind), kind.admission.mutating.path})
      if (!path.empty())
        result.emplace(path, &counters.webhook_meter_of(path));
  }
  result.emplace(conversion_path, &counters.webhook_meter_of(conversion_path));
  return result;
}

k8s::http::response
answer_webhook(const k8s::http::request& r,
               const std::vector<const core::framework*>& kinds,
               const known_queueing* queueing) {
  if (r.path == conversion_path)
    return answer_conversion_review(r);
  return answer_admission_review(
      r, kinds, queueing ? queueing->get() : core::queueing_options{});
}

k8s::http::response
answer_and_record_metrics(const k8s::http::request& r,
                          const std::vector<const core::framework*>& kinds,
                          const known_queueing* queueing,
                          webhook_meter& meter) {
  using clock = std::chrono::steady_clock;
  auto begin = clock::now();
  meter.on_review_started();
  auto answer = answer_webhook(r, kinds, queueing);
  // What is read takes many times its text, and anybody may send such texts.
  if (r.body.size() >= large_text)
    return_free_memory();
  std::chrono::duration<double> took = clock::now() - begin;
  meter.on_review_ended(answer.status, took.count());
  return answer;
}

} // namespace

k8s::result<std::unique_ptr<k8s::http::server>>
start_webhook_server(const std::string& address, std::vector<std::string> hosts,
                     std::vector<const core::framework*> kinds,
                     std::shared_ptr<metrics> counters,
                     std::shared_ptr<report_route> reports,
                     std::shared_ptr<const known_queueing> queueing) {
  auto meters = make_webhook_meters(*counters);
  k8s::http::access_policy who;
  who.body_media_types = {"application/json"};
  who.hosts = std::move(hosts);
  who.tls_only = true;
  std::set<std::string> paths;
  for (const auto& [path, meter] : meters)
    paths.insert(path);
  auto is_review = [paths = std::move(paths)](const k8s::http::request& head) {
    return head.method == "POST" && paths.count(head.path) > 0;
  };
  who.body_limit = [is_review](const k8s::http::request& head) {
    return is_review(head) ? review_bytes : report_body_limit(head);
  };
  auto clients = std::make_shared<review_clients>();
  who.favours = [is_review, clients](const k8s::http::request& head) {
    if (is_report_path(head.path))
      clients->note_report(head.peer);
    return is_review(head) && clients->is_favoured(head.peer);
  };
  return k8s::http::listen(
      address,
      [kinds = std::move(kinds), meters = std::move(meters),
       counters = std::move(counters), reports = std::move(reports),
       queueing = std::move(queueing),
       clients](const k8s::http::request& r,
                const k8s::http::response_writer_ptr& back) {
        if (reports && is_report_path(r.path))
          return reports->answer(r, back);
        auto meter = meters.find(r.path);
        if (meter == meters.end())
          return back->reply(answer_webhook(r, kinds, queueing.get()));
        auto answer =
            answer_and_record_metrics(r, kinds, queueing.get(), *meter->second);
        clients->note_review(r.peer, answer.status == 200);
        back->reply(std::move(answer));
      },
      webhook_limits(), std::move(who));
}

} // namespace troupe::actors
