#include "actors/metrics/metrics.hpp"

#include "actors/metrics/actor_metrics.hpp"
#include "actors/metrics/call_metrics.hpp"
#include "actors/metrics/controller_metrics.hpp"
#include "actors/metrics/decision_metrics.hpp"
#include "actors/metrics/di_server_metrics.hpp"
#include "actors/metrics/job_counts.hpp"
#include "actors/metrics/job_metrics.hpp"
#include "actors/metrics/process_metrics.hpp"
#include "actors/metrics/watch_metrics.hpp"

#include <prometheus/text_serializer.h>

#include <map>
#include <mutex>

namespace troupe::actors {

struct metrics::families {
  prometheus::Registry registry;
  call_metrics calls{registry};
  decision_metrics decisions{registry};
  watch_metrics watches{registry};
  controller_families controllers{registry};
  webhook_families webhooks{registry};
  job_counts counts{registry};
  job_metrics jobs{registry};
  di_server_metrics di_server{registry};
  prometheus::Family<prometheus::Counter>& restarts = add_counter_family(
      registry, "troupe_actor_restarts_total",
      "Parts of the operator that failed and were started again; "
      "vital: all of them together");
  prometheus::Counter& events_written =
      add_counter(registry, "troupe_events_written_total",
                  "Kubernetes Events on jobs that were created or updated");
  prometheus::Counter& events_dropped =
      add_counter(registry, "troupe_events_dropped_total",
                  "Kubernetes Events on jobs that could not be written");
  prometheus::Gauge& ready =
      add_gauge(registry, "troupe_ready",
                "1 while the operator is ready (/readyz answers 200)");
  prometheus::Family<prometheus::Gauge>& certificate_expiry = add_gauge_family(
      registry, "troupe_webhook_certificate_expiry_timestamp_seconds",
      "When the certificate that the webhooks show ends, in seconds since "
      "the epoch");
  prometheus::Family<prometheus::Gauge>& leading =
      add_gauge_family(registry, "leader_election_master_status",
                       "1 while this replica holds the Lease of this name");
  prometheus::Gauge& mpi_leading =
      add_gauge(registry, "mpi_operator_is_leader",
                "Is this client the leader of this mpi-operator client set?");

  mutable std::mutex mutex; // Of all below.
  std::map<std::string, std::unique_ptr<controller_meter>> meters;
  std::map<std::string, std::unique_ptr<path_meter>> paths;
  std::shared_ptr<const k8s::request_counts> answers;
};

metrics::metrics()
    : families_(std::make_unique<families>()) {
  // Rates need a first value.
  for (const char* name : {"job-supervisor", "watcher", "vital"})
    families_->restarts.Add(metric_labels{{"actor", name}});
}

metrics::~metrics() = default;

void metrics::observe_api_call(k8s::verb what, const std::string& resource,
                               const char* code, double seconds) {
  families_->calls.observe_call(what, resource, code, seconds);
}

void metrics::observe_di_server_request(const std::string& page,
                                        const std::string& method, int status,
                                        double seconds) {
  families_->di_server.observe_request(page, method, status, seconds);
}

void metrics::observe_call_wait(call_priority priority, double seconds) {
  families_->calls.observe_wait(priority, seconds);
}

void metrics::count_decision(const core::decision& d) {
  families_->decisions.count(d);
}

void metrics::count_written_event() {
  families_->events_written.Increment();
}

void metrics::count_dropped_event() {
  families_->events_dropped.Increment();
}

watch_meter& metrics::watch_meter_of(const std::string& resource) {
  return families_->watches.meter_of(resource);
}

void metrics::set_leading(const std::string& lease, bool leads) {
  families_->leading.Add(metric_labels{{"name", lease}}).Set(leads ? 1 : 0);
  families_->mpi_leading.Set(leads ? 1 : 0);
}

void metrics::count_actor_restart(const char* name) {
  families_->restarts.Add(metric_labels{{"actor", name}}).Increment();
}

reconcile_meter& metrics::reconcile_meter_of(const char* controller,
                                             std::size_t at_once) {
  std::lock_guard guard{families_->mutex};
  auto& meter = families_->meters[controller];
  if (!meter)
    meter =
        std::make_unique<controller_meter>(families_->controllers, controller);
  if (at_once > 0)
    meter->at_once.Set(static_cast<double>(at_once));
  return *meter;
}

std::unique_ptr<job_meter> metrics::add_job_meter(const char* framework) {
  return families_->jobs.add_job_meter(framework);
}

webhook_meter& metrics::webhook_meter_of(const std::string& path) {
  std::lock_guard guard{families_->mutex};
  auto& meter = families_->paths[path];
  if (!meter)
    meter = std::make_unique<path_meter>(families_->webhooks, path);
  return *meter;
}

void metrics::count_created_job(const std::string& ns, const char* framework) {
  families_->counts.created.count(ns, framework);
}

void metrics::count_deleted_job(const std::string& ns, const char* framework) {
  families_->counts.deleted.count(ns, framework);
}

void metrics::count_succeeded_job(const std::string& ns,
                                  const char* framework) {
  families_->counts.successful.count(ns, framework);
}

void metrics::count_failed_job(const std::string& ns, const char* framework) {
  families_->counts.failed.count(ns, framework);
}

void metrics::count_created_mpi_job() {
  families_->counts.mpi_created.Increment();
}

void metrics::count_succeeded_mpi_job() {
  families_->counts.mpi_successful.Increment();
}

void metrics::count_failed_mpi_job() {
  families_->counts.mpi_failed.Increment();
}

void metrics::set_releases_of_gone_jobs(std::size_t count,
                                        std::optional<k8s::time_point> oldest) {
  families_->jobs.queues().set_releases_of_gone_jobs(count, oldest);
}

void metrics::count_restarted_replica(const std::string& ns,
                                      const char* framework) {
  families_->counts.restarted.count(ns, framework);
}

void metrics::count_created_pod() {
  families_->counts.pods.Increment();
}

void metrics::count_deleted_pod() {
  families_->counts.pods_deleted.Increment();
}

void metrics::count_created_service() {
  families_->counts.services.Increment();
}

void metrics::count_refused_service() {
  families_->counts.services_refused.Increment();
}

void metrics::set_request_counts(
    std::shared_ptr<const k8s::request_counts> answers) {
  std::lock_guard guard{families_->mutex};
  families_->answers = std::move(answers);
}

void metrics::set_ready(bool ready) {
  families_->ready.Set(ready ? 1 : 0);
}

void metrics::set_webhook_certificate_expiry(k8s::time_point end) {
  std::chrono::duration<double> since_epoch = end.time_since_epoch();
  families_->certificate_expiry.Add({}).Set(since_epoch.count());
}

std::string metrics::exposition_text(k8s::time_point now,
                                     const nlohmann::json& report) const {
  auto all = families_->registry.Collect();
  for (auto& part : {families_->jobs.collect_families(now),
                     families_->jobs.queues().collect_families(now),
                     actor_metric_families(report), process_metric_families()})
    all.insert(all.end(), part.begin(), part.end());
  std::unique_lock guard{families_->mutex};
  auto answers = families_->answers;
  guard.unlock();
  if (answers)
    all.push_back(request_count_family(*answers));
  return prometheus::TextSerializer{}.Serialize(all);
}

} // namespace troupe::actors
