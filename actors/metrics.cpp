#include "actors/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <mutex>

namespace troupe::actors {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Registry;

namespace {

using labels = std::map<std::string, std::string>;

Family<Counter>& counters(Registry& r, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(r);
}

Counter& counter(Registry& r, const char* name, const char* help) {
  return counters(r, name, help).Add({});
}

} // namespace

struct metrics::families {
  Registry registry;
  Family<Counter>& calls =
      counters(registry, "troupe_api_requests_total",
               "Calls to the API server by verb, resource and outcome");
  Family<prometheus::Histogram>& call_times =
      prometheus::BuildHistogram()
          .Name("troupe_api_request_duration_seconds")
          .Help("Time from sending a call to its answer")
          .Register(registry);
  Family<Counter>& events = counters(registry, "troupe_watch_events_total",
                                     "Watch events received by resource");
  Family<Counter>& relists = counters(registry, "troupe_relists_total",
                                      "Complete lists read by resource");
  Family<Counter>& restarts = counters(registry, "troupe_actor_restarts_total",
                                       "Actors started again by name");
  Counter& passes =
      counter(registry, "troupe_passes_total", "Passes over a job's plan");
  Family<Counter>& created = counters(
      registry, "training_operator_jobs_created_total", "Jobs first seen");
  Family<Counter>& deleted =
      counters(registry, "training_operator_jobs_deleted_total",
               "Jobs removed after their time to live");
  Family<Counter>& successful = counters(
      registry, "training_operator_jobs_successful_total", "Jobs succeeded");
  Family<Counter>& failed =
      counters(registry, "training_operator_jobs_failed_total", "Jobs failed");
  Family<Counter>& restarted =
      counters(registry, "training_operator_jobs_restarted_total",
               "Replicas restarted by making their pod anew");
  Counter& pods = counter(registry, "created_pods_total", "Pods created");
  Counter& pods_deleted =
      counter(registry, "deleted_pods_total", "Pods deleted");
  Counter& services =
      counter(registry, "succeeded_service_creation_total", "Services created");
  Counter& services_refused = counter(registry, "failed_service_creation_total",
                                      "Service creations refused");

  // Family::Add costs half a microsecond and hashes; the hot one is kept.
  std::mutex mutex;
  std::map<std::string, Counter*> by_call;
  std::map<std::string, prometheus::Histogram*> by_verb;
};

metrics::metrics()
    : families_(std::make_unique<families>()) {
  // nop
}

metrics::~metrics() = default;

void metrics::call_ended(k8s::verb what, const std::string& resource,
                         const char* code, double seconds) {
  std::lock_guard guard{families_->mutex};
  const std::string verb = k8s::to_string(what);
  auto& slot = families_->by_call[verb + ' ' + resource + ' ' + code];
  if (!slot)
    slot = &families_->calls.Add(
        labels{{"verb", verb}, {"resource", resource}, {"code", code}});
  slot->Increment();
  auto& times = families_->by_verb[verb];
  if (!times)
    times = &families_->call_times.Add(
        labels{{"verb", verb}},
        prometheus::Histogram::BucketBoundaries{.005, .01, .025, .05, .1, .25,
                                                .5, 1, 2.5, 5, 10, 30});
  times->Observe(seconds);
}

void metrics::watch_event(const std::string& resource) {
  families_->events.Add(labels{{"resource", resource}}).Increment();
}

void metrics::relisted(const std::string& resource) {
  families_->relists.Add(labels{{"resource", resource}}).Increment();
}

void metrics::pass_run() {
  families_->passes.Increment();
}

void metrics::actor_restarted(const char* name) {
  families_->restarts.Add(labels{{"actor", name}}).Increment();
}

namespace {

void count(Family<Counter>& family, const std::string& ns,
           const char* framework) {
  family.Add(labels{{"job_namespace", ns}, {"framework", framework}})
      .Increment();
}

} // namespace

void metrics::job_created(const std::string& ns, const char* framework) {
  count(families_->created, ns, framework);
}

void metrics::job_deleted(const std::string& ns, const char* framework) {
  count(families_->deleted, ns, framework);
}

void metrics::job_succeeded(const std::string& ns, const char* framework) {
  count(families_->successful, ns, framework);
}

void metrics::job_failed(const std::string& ns, const char* framework) {
  count(families_->failed, ns, framework);
}

void metrics::job_restarted(const std::string& ns, const char* framework) {
  count(families_->restarted, ns, framework);
}

void metrics::pod_created() {
  families_->pods.Increment();
}

void metrics::pod_deleted() {
  families_->pods_deleted.Increment();
}

void metrics::service_created() {
  families_->services.Increment();
}

void metrics::service_refused() {
  families_->services_refused.Increment();
}

std::string metrics::text() const {
  return prometheus::TextSerializer{}.Serialize(families_->registry.Collect());
}

} // namespace troupe::actors
