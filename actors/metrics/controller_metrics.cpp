#include "actors/metrics/controller_metrics.hpp"

namespace troupe::actors {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;

namespace {

/// controller-runtime's buckets, so that its dashboards draw the same.
const histogram_bounds& reconcile_time_bounds() {
  static const histogram_bounds all{
      .005, .01, .025, .05, .1,   .15, .2,   .25, .3,  .35, .4,  .45, .5,  .6,
      .7,   .8,  .9,   1,   1.25, 1.5, 1.75, 2,   2.5, 3,   3.5, 4,   4.5, 5,
      6,    7,   8,    9,   10,   15,  20,   25,  30,  40,  50,  60};
  return all;
}

const histogram_bounds& queue_time_bounds() {
  static const histogram_bounds all{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                                    1e-2, 1e-1, 1,    10,   100,  1000};
  return all;
}

metric_labels controller_labels(const std::string& name) {
  return {{"controller", name}};
}

metric_labels controller_labels(const std::string& name, const char* result) {
  return {{"controller", name}, {"result", result}};
}

metric_labels workqueue_labels(const std::string& name) {
  return {{"controller", name}, {"name", name}};
}

} // namespace

controller_families::controller_families(Registry& r)
    : reconciles(
        add_counter_family(r, "controller_runtime_reconcile_total",
                           "Reconciles of jobs; error: an order for a child "
                           "failed and is tried again"))
    , errors(add_counter_family(
          r, "controller_runtime_reconcile_errors_total",
          "Orders for children that failed; each is tried again"))
    , times(add_histogram_family(r, "controller_runtime_reconcile_time_seconds",
                                 "Length of a reconcile of a job"))
    , at_once(add_gauge_family(
          r, "controller_runtime_max_concurrent_reconciles",
          "Reconciles that can run at the same time, of jobs of all "
          "kinds together"))
    , active(add_gauge_family(r, "controller_runtime_active_workers",
                              "Reconciles that run now"))
    , depth(add_gauge_family(r, "workqueue_depth",
                             "Jobs that wait for a reconcile"))
    , adds(add_counter_family(r, "workqueue_adds_total",
                              "Reconciles that were enqueued"))
    , waits(
          add_histogram_family(r, "workqueue_queue_duration_seconds",
                               "Time from enqueueing a reconcile to its start"))
    , works(add_histogram_family(r, "workqueue_work_duration_seconds",
                                 "Length of a reconcile of a job"))
    , retries(add_counter_family(r, "workqueue_retries_total",
                                 "Orders for children that are tried again")) {
  // nop
}

webhook_families::webhook_families(Registry& r)
    : requests(add_counter_family(r,
                                  "controller_runtime_webhook_requests_total",
                                  "Reviews of jobs by path and HTTP status"))
    , times(add_histogram_family(r,
                                 "controller_runtime_webhook_latency_seconds",
                                 "Time to answer a review of a job"))
    , active(add_gauge_family(r,
                              "controller_runtime_webhook_requests_in_flight",
                              "Reviews of jobs that are not answered yet")) {
  // nop
}

path_meter::path_meter(webhook_families& f, const std::string& path)
    : path_(path)
    , requests_(f.requests)
    , times_(f.times.Add(
          metric_labels{{"webhook", path}},
          histogram_bounds{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}))
    , active_(f.active.Add(metric_labels{{"webhook", path}})) {
  // Rates need a first value.
  for (const char* code : {"200", "400", "500"})
    requests_.Add(metric_labels{{"webhook", path}, {"code", code}});
}

void path_meter::on_review_started() {
  active_.Increment();
}

void path_meter::on_review_ended(int status, double seconds) {
  active_.Decrement();
  times_.Observe(seconds);
  requests_
      .Add(metric_labels{{"webhook", path_}, {"code", std::to_string(status)}})
      .Increment();
}

controller_meter::controller_meter(controller_families& f,
                                   const std::string& name)
    : at_once(f.at_once.Add(controller_labels(name)))
    , succeeded_(f.reconciles.Add(controller_labels(name, "success")))
    , again_(f.reconciles.Add(controller_labels(name, "requeue_after")))
    , failed_(f.reconciles.Add(controller_labels(name, "error")))
    , errors_(f.errors.Add(controller_labels(name)))
    , times_(f.times.Add(controller_labels(name), reconcile_time_bounds()))
    , active_(f.active.Add(controller_labels(name)))
    , depth_(f.depth.Add(workqueue_labels(name)))
    , adds_(f.adds.Add(workqueue_labels(name)))
    , waits_(f.waits.Add(workqueue_labels(name), queue_time_bounds()))
    , works_(f.works.Add(workqueue_labels(name), queue_time_bounds()))
    , retries_(f.retries.Add(workqueue_labels(name))) {
  // nop
}

void controller_meter::on_reconcile_queued() {
  adds_.Increment();
  depth_.Increment();
}

void controller_meter::on_reconcile_dropped() {
  depth_.Decrement();
}

void controller_meter::on_reconcile_started(double waited) {
  depth_.Decrement();
  waits_.Observe(waited);
  active_.Increment();
}

void controller_meter::on_reconcile_ended(double took, bool requeued) {
  active_.Decrement();
  times_.Observe(took);
  works_.Observe(took);
  (requeued ? again_ : succeeded_).Increment();
}

void controller_meter::count_failed_order() {
  failed_.Increment();
  errors_.Increment();
  retries_.Increment();
}

} // namespace troupe::actors
