#include "actors/metrics.hpp"

#include "actors/controller_metrics.hpp"
#include "actors/process_metrics.hpp"

#include <prometheus/text_serializer.h>

#include <map>
#include <mutex>

namespace troupe::actors {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;

namespace {

using labels = std::map<std::string, std::string>;
using bounds = Histogram::BucketBoundaries;

Counter& counter(Registry& r, const char* name, const char* help) {
  return counters(r, name, help).Add({});
}

/// Counters of one family that were used before. Adding one to the family
/// costs half a microsecond and hashes.
class counter_table {
public:
  explicit counter_table(Family<Counter>& family)
      : family_(family) {}

  template <class Labels>
  Counter& at(const std::string& key, Labels names) {
    auto& slot = known_[key];
    if (!slot)
      slot = &family_.Add(names());
    return *slot;
  }

private:
  Family<Counter>& family_;
  std::map<std::string, Counter*> known_;
};

} // namespace

struct metrics::families {
  Registry registry;
  Family<Histogram>& call_times =
      histograms(registry, "troupe_api_request_duration_seconds",
                 "Time from sending a call to its answer");
  Family<Counter>& restarts = counters(registry, "troupe_actor_restarts_total",
                                       "Actors started again by name");
  Counter& passes =
      counter(registry, "troupe_passes_total", "Passes over a job's plan");
  Counter& pods = counter(registry, "created_pods_total", "Pods created");
  Counter& pods_deleted =
      counter(registry, "deleted_pods_total", "Pods deleted");
  Counter& services =
      counter(registry, "succeeded_service_creation_total", "Services created");
  Counter& services_refused = counter(registry, "failed_service_creation_total",
                                      "Service creations refused");
  controller_families controllers{registry};
  Family<Gauge>& leading = gauges(registry, "leader_election_master_status",
                                  "Whether this process holds the Lease");

  mutable std::mutex mutex; // Of all below.
  counter_table calls{
      counters(registry, "troupe_api_requests_total",
               "Calls to the API server by verb, resource and outcome")};
  counter_table events{counters(registry, "troupe_watch_events_total",
                                "Watch events received by resource")};
  counter_table relists{counters(registry, "troupe_relists_total",
                                 "Complete lists read by resource")};
  counter_table created{counters(
      registry, "training_operator_jobs_created_total", "Jobs first seen")};
  counter_table deleted{counters(registry,
                                 "training_operator_jobs_deleted_total",
                                 "Jobs removed after their time to live")};
  counter_table successful{counters(
      registry, "training_operator_jobs_successful_total", "Jobs succeeded")};
  counter_table failed{
      counters(registry, "training_operator_jobs_failed_total", "Jobs failed")};
  counter_table restarted{counters(registry,
                                   "training_operator_jobs_restarted_total",
                                   "Failed pods of jobs that were replaced")};
  std::map<std::string, Histogram*> by_verb;
  std::map<std::string, std::unique_ptr<controller_meter>> meters;
  std::shared_ptr<const k8s::request_counts> answers;

  void count(counter_table& table, const std::string& ns,
             const char* framework) {
    std::lock_guard guard{mutex};
    table
        .at(ns + ' ' + framework,
            [&] {
              return labels{{"job_namespace", ns}, {"framework", framework}};
            })
        .Increment();
  }

  void count(counter_table& table, const std::string& resource) {
    std::lock_guard guard{mutex};
    table.at(resource,
             [&] {
               return labels{{"resource", resource}};
             })
        .Increment();
  }
};

metrics::metrics()
    : families_(std::make_unique<families>()) {
  // nop
}

metrics::~metrics() = default;

void metrics::observe_api_call(k8s::verb what, const std::string& resource,
                               const char* code, double seconds) {
  std::lock_guard guard{families_->mutex};
  const std::string verb = k8s::to_string(what);
  families_->calls
      .at(verb + ' ' + resource + ' ' + code,
          [&] {
            return labels{
                {"verb", verb}, {"resource", resource}, {"code", code}};
          })
      .Increment();
  auto& times = families_->by_verb[verb];
  if (!times)
    times = &families_->call_times.Add(
        labels{{"verb", verb}},
        bounds{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30});
  times->Observe(seconds);
}

void metrics::watch_event(const std::string& resource) {
  families_->count(families_->events, resource);
}

void metrics::count_list_started(const std::string& resource) {
  families_->count(families_->relists, resource);
}

void metrics::count_reconcile() {
  families_->passes.Increment();
}

void metrics::set_leading(const std::string& lease, bool leads) {
  families_->leading.Add(labels{{"name", lease}}).Set(leads ? 1 : 0);
}

void metrics::actor_restarted(const char* name) {
  families_->restarts.Add(labels{{"actor", name}}).Increment();
}

pass_meter& metrics::passes(const char* controller, std::size_t at_once) {
  std::lock_guard guard{families_->mutex};
  auto& meter = families_->meters[controller];
  if (!meter)
    meter =
        std::make_unique<controller_meter>(families_->controllers, controller);
  if (at_once > 0)
    meter->at_once.Set(static_cast<double>(at_once));
  return *meter;
}

void metrics::job_created(const std::string& ns, const char* framework) {
  families_->count(families_->created, ns, framework);
}

void metrics::job_deleted(const std::string& ns, const char* framework) {
  families_->count(families_->deleted, ns, framework);
}

void metrics::job_succeeded(const std::string& ns, const char* framework) {
  families_->count(families_->successful, ns, framework);
}

void metrics::job_failed(const std::string& ns, const char* framework) {
  families_->count(families_->failed, ns, framework);
}

void metrics::job_restarted(const std::string& ns, const char* framework) {
  families_->count(families_->restarted, ns, framework);
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

void metrics::export_request_counts_of(
    std::shared_ptr<const k8s::request_counts> answers) {
  std::lock_guard guard{families_->mutex};
  families_->answers = std::move(answers);
}

std::string metrics::text() const {
  auto all = families_->registry.Collect();
  for (auto& family : process_families())
    all.push_back(std::move(family));
  std::unique_lock guard{families_->mutex};
  auto answers = families_->answers;
  guard.unlock();
  if (answers)
    all.push_back(request_count_family(*answers));
  return prometheus::TextSerializer{}.Serialize(all);
}

} // namespace troupe::actors
