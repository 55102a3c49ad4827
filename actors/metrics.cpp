#include "actors/metrics.hpp"

#include "actors/process_metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
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

Family<Counter>& counters(Registry& r, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(r);
}

Counter& counter(Registry& r, const char* name, const char* help) {
  return counters(r, name, help).Add({});
}

Family<Gauge>& gauges(Registry& r, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(r);
}

Family<Histogram>& histograms(Registry& r, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(r);
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

/// controller-runtime's buckets, so that its dashboards draw the same.
const bounds& pass_bounds() {
  static const bounds all{.005, .01, .025, .05, .1,  .15, .2,  .25, .3,   .35,
                          .4,   .45, .5,   .6,  .7,  .8,  .9,  1,   1.25, 1.5,
                          1.75, 2,   2.5,  3,   3.5, 4,   4.5, 5,   6,    7,
                          8,    9,   10,   15,  20,  25,  30,  40,  50,   60};
  return all;
}

const bounds& queue_bounds() {
  static const bounds all{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                          1e-2, 1e-1, 1,    10,   100,  1000};
  return all;
}

/// The families of controller-runtime that have a meaning here.
struct controller_families {
  explicit controller_families(Registry& r)
      : reconciles(counters(r, "controller_runtime_reconcile_total",
                            "Passes over jobs by controller and result; "
                            "error: a call that a pass decided was refused"))
      , errors(counters(r, "controller_runtime_reconcile_errors_total",
                        "Calls decided by passes that the server refused"))
      , times(histograms(r, "controller_runtime_reconcile_time_seconds",
                         "Length of a pass over a job"))
      , at_once(gauges(r, "controller_runtime_max_concurrent_reconciles",
                       "Passes that can run at the same time, over jobs of "
                       "all kinds together"))
      , active(gauges(r, "controller_runtime_active_workers",
                      "Passes that run now"))
      , depth(gauges(r, "workqueue_depth", "Jobs that wait for a pass"))
      , adds(counters(r, "workqueue_adds_total", "Passes asked for"))
      , waits(histograms(r, "workqueue_queue_duration_seconds",
                         "Time from asking for a pass to its begin"))
      , works(histograms(r, "workqueue_work_duration_seconds",
                         "Length of a pass over a job"))
      , retries(counters(r, "workqueue_retries_total",
                         "Calls decided by passes that are tried again")) {}

  Family<Counter>& reconciles;
  Family<Counter>& errors;
  Family<Histogram>& times;
  Family<Gauge>& at_once;
  Family<Gauge>& active;
  Family<Gauge>& depth;
  Family<Counter>& adds;
  Family<Histogram>& waits;
  Family<Histogram>& works;
  Family<Counter>& retries;
};

class controller_meter : public pass_meter {
public:
  controller_meter(controller_families& f, const std::string& name)
      : at_once(f.at_once.Add(by(name)))
      , succeeded_(f.reconciles.Add(by(name, "success")))
      , again_(f.reconciles.Add(by(name, "requeue_after")))
      , failed_(f.reconciles.Add(by(name, "error")))
      , errors_(f.errors.Add(by(name)))
      , times_(f.times.Add(by(name), pass_bounds()))
      , active_(f.active.Add(by(name)))
      , depth_(f.depth.Add(of_queue(name)))
      , adds_(f.adds.Add(of_queue(name)))
      , waits_(f.waits.Add(of_queue(name), queue_bounds()))
      , works_(f.works.Add(of_queue(name), queue_bounds()))
      , retries_(f.retries.Add(of_queue(name))) {}

  void queued() override {
    adds_.Increment();
    depth_.Increment();
  }

  void dropped() override { depth_.Decrement(); }

  void begun(double waited) override {
    depth_.Decrement();
    waits_.Observe(waited);
    active_.Increment();
  }

  void ended(double took, bool again) override {
    active_.Decrement();
    times_.Observe(took);
    works_.Observe(took);
    (again ? again_ : succeeded_).Increment();
  }

  void refused() override {
    failed_.Increment();
    errors_.Increment();
    retries_.Increment();
  }

  Gauge& at_once;

private:
  static labels by(const std::string& name) { return {{"controller", name}}; }

  static labels by(const std::string& name, const char* result) {
    return {{"controller", name}, {"result", result}};
  }

  static labels of_queue(const std::string& name) {
    return {{"controller", name}, {"name", name}};
  }

  Counter& succeeded_;
  Counter& again_;
  Counter& failed_;
  Counter& errors_;
  Histogram& times_;
  Gauge& active_;
  Gauge& depth_;
  Counter& adds_;
  Histogram& waits_;
  Histogram& works_;
  Counter& retries_;
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
  std::shared_ptr<const k8s::answer_counts> answers;

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

void metrics::call_ended(k8s::verb what, const std::string& resource,
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

void metrics::relisted(const std::string& resource) {
  families_->count(families_->relists, resource);
}

void metrics::pass_run() {
  families_->passes.Increment();
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

void metrics::count_answers_of(
    std::shared_ptr<const k8s::answer_counts> answers) {
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
    all.push_back(answer_family(*answers));
  return prometheus::TextSerializer{}.Serialize(all);
}

} // namespace troupe::actors
