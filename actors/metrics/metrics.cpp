#include "actors/metrics/metrics.hpp"

#include "actors/base/messages.hpp"
#include "actors/metrics/actor_metrics.hpp"
#include "actors/metrics/controller_metrics.hpp"
#include "actors/metrics/job_metrics.hpp"
#include "actors/metrics/process_metrics.hpp"

#include <prometheus/text_serializer.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

namespace troupe::actors {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;

namespace {

using labels = std::map<std::string, std::string>;
using bounds = Histogram::BucketBoundaries;

Counter& add_counter(Registry& r, const char* name, const char* help) {
  return add_counter_family(r, name, help).Add({});
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

/// A series for each action on each kind of children; a series appears when it
/// is counted first.
class decision_table {
public:
  explicit decision_table(Family<Counter>& family)
      : family_(family) {}

  void count(const core::decision& d) {
    auto what = std::visit(get_cell{}, d);
    if (!what)
      return;
    auto& slot = counters_[what->action][core::index_of(what->kind)];
    auto* known = slot.load();
    if (!known) {
      // Add() returns the same counter to every thread that comes here.
      known =
          &family_.Add({{"action", what->name},
                        {"resource", core::resource_of(what->kind).plural}});
      slot = known;
    }
    known->Increment();
  }

private:
  struct cell {
    std::size_t action;
    const char* name;
    core::child_kind kind;
  };

  struct get_cell {
    std::optional<cell> operator()(const core::create_child& d) const {
      return cell{0, "create", d.kind};
    }
    std::optional<cell> operator()(const core::create_auxiliary& d) const {
      return cell{0, "create", d.wanted->kind};
    }
    std::optional<cell> operator()(const core::delete_job&) const {
      return std::nullopt;
    }
    std::optional<cell> operator()(const core::read_node&) const {
      return std::nullopt; // It is about no child.
    }
    template <class Decision>
    std::optional<cell> operator()(const Decision& d) const {
      return cell{1 + static_cast<std::size_t>(d.action),
                  core::to_string(d.action), d.kind};
    }
  };

  static constexpr std::size_t actions =
      2 + static_cast<std::size_t>(core::operation::release);

  Family<Counter>& family_;
  std::array<std::array<std::atomic<Counter*>, core::child_kind_count>, actions>
      counters_{};
};

/// The families of watches.
struct watch_families {
  explicit watch_families(Registry& r)
      : lists(
          add_counter_family(r, "troupe_relists_total",
                             "Complete lists that were started, by resource"))
      , events(add_counter_family(r, "troupe_watch_events_total",
                                  "Watch events received, bookmarks included"))
      , restarts(add_counter_family(
            r, "troupe_watch_restarts_total",
            "Watches that ended and are opened again; reason "
            "closed: by the server, when their time was over")) {}

  Family<Counter>& lists;
  Family<Counter>& events;
  Family<Counter>& restarts;
};

class resource_meter : public watch_meter {
public:
  resource_meter(watch_families& all, const std::string& resource)
      : resource_(resource)
      , lists_(all.lists.Add({{"resource", resource}}))
      , events_(all.events.Add({{"resource", resource}}))
      , restarts_(all.restarts) {
    // Rates need a first value.
    for (const char* reason : {"closed", "expired"})
      restarts_.Add({{"resource", resource}, {"reason", reason}});
  }

  void count_list() override { lists_.Increment(); }
  void count_watch_event() override { events_.Increment(); }
  void count_watch_end(const char* reason) override {
    restarts_.Add({{"resource", resource_}, {"reason", reason}}).Increment();
  }

private:
  std::string resource_;
  Counter& lists_;
  Counter& events_;
  Family<Counter>& restarts_;
};

/// One histogram for each priority of calls.
class wait_histograms {
public:
  explicit wait_histograms(Registry& r) {
    auto& family =
        add_histogram_family(r, "troupe_api_call_wait_seconds",
                             "Time that a call to the API server waited in "
                             "the operator before it was sent");
    constexpr const char* names[] = {"always", "normal", "low", "event"};
    for (std::size_t i = 0; i < all_.size(); ++i)
      all_[i] = &family.Add(
          labels{{"priority", names[i]}},
          bounds{.001, .005, .01, .05, .1, .5, 1, 5, 10, 30, 60, 300});
  }

  void observe(call_priority p, double seconds) {
    all_[static_cast<std::size_t>(p)]->Observe(seconds);
  }

private:
  std::array<Histogram*, 4> all_{};
};

} // namespace

struct metrics::families {
  Registry registry;
  Family<Histogram>& call_times = add_histogram_family(
      registry, "troupe_api_request_duration_seconds",
      "Time from sending a call to the API server to its response");
  Family<Counter>& restarts = add_counter_family(
      registry, "troupe_actor_restarts_total",
      "Parts of the operator that failed and were started again; "
      "vital: all of them together");
  wait_histograms call_waits{registry};
  decision_table decisions{add_counter_family(
      registry, "troupe_decisions_total",
      "Decisions about the children of jobs, each carried out by one order")};
  Counter& events_written =
      add_counter(registry, "troupe_events_written_total",
                  "Kubernetes Events on jobs that were created or updated");
  Counter& events_dropped =
      add_counter(registry, "troupe_events_dropped_total",
                  "Kubernetes Events on jobs that could not be written");
  Counter& pods = add_counter(registry, "created_pods_total", "Pods created");
  Counter& pods_deleted =
      add_counter(registry, "deleted_pods_total", "Pods deleted");
  Counter& services = add_counter(registry, "succeeded_service_creation_total",
                                  "Services created");
  Counter& services_refused = add_counter(
      registry, "failed_service_creation_total", "Service creations refused");
  Counter& mpi_created =
      add_counter(registry, "mpi_operator_jobs_created_total",
                  "Counts number of MPI jobs created");
  Counter& mpi_successful =
      add_counter(registry, "mpi_operator_jobs_successful_total",
                  "Counts number of MPI jobs successful");
  Counter& mpi_failed = add_counter(registry, "mpi_operator_jobs_failed_total",
                                    "Counts number of MPI jobs failed");
  Gauge& mpi_leading =
      add_gauge_family(registry, "mpi_operator_is_leader",
                       "Is this client the leader of this mpi-operator client "
                       "set?")
          .Add({});
  controller_families controllers{registry};
  webhook_families webhooks{registry};
  job_metrics jobs{registry};
  Family<Counter>& di_server_requests = add_counter_family(
      registry, "troupe_di_server_requests_total",
      "Requests to di-server by page, method and HTTP status; one that "
      "was forwarded to the leader is counted by both replicas");
  Family<Histogram>& di_server_times = add_histogram_family(
      registry, "troupe_di_server_request_duration_seconds",
      "Time from a request to di-server to its response, with the "
      "calls to the API server that it led to");
  Gauge& ready =
      add_gauge_family(registry, "troupe_ready",
                       "1 while the operator is ready (/readyz answers 200)")
          .Add({});
  Family<Gauge>& certificate_expiry = add_gauge_family(
      registry, "troupe_webhook_certificate_expiry_timestamp_seconds",
      "When the certificate that the webhooks show ends, in seconds since "
      "the epoch");
  Family<Gauge>& leading =
      add_gauge_family(registry, "leader_election_master_status",
                       "1 while this replica holds the Lease of this name");

  mutable std::mutex mutex; // Of all below.
  counter_table calls{add_counter_family(
      registry, "troupe_api_requests_total",
      "Calls to the API server; code: ok, or why the call failed")};
  watch_families watches{registry};
  counter_table created{add_counter_family(
      registry, "training_operator_jobs_created_total", "Jobs that are new")};
  counter_table deleted{
      add_counter_family(registry, "training_operator_jobs_deleted_total",
                         "Jobs removed after their time to live")};
  counter_table successful{add_counter_family(
      registry, "training_operator_jobs_successful_total", "Jobs succeeded")};
  counter_table failed{add_counter_family(
      registry, "training_operator_jobs_failed_total", "Jobs failed")};
  counter_table restarted{
      add_counter_family(registry, "training_operator_jobs_restarted_total",
                         "Failed pods of jobs that were replaced")};
  std::map<std::string, Histogram*> by_verb;
  std::map<std::string, std::unique_ptr<controller_meter>> meters;
  std::map<std::string, std::unique_ptr<resource_meter>> resources;
  std::map<std::string, std::unique_ptr<path_meter>> paths;
  std::shared_ptr<const k8s::request_counts> answers;

  struct di_server_meter {
    Counter& requests;
    Histogram& times;
  };

  di_server_meter di_server_meter_of(const std::string& page,
                                     const std::string& method, int status) {
    return {di_server_requests.Add(labels{{"page", page},
                                          {"method", method},
                                          {"code", std::to_string(status)}}),
            di_server_times.Add(labels{{"page", page}, {"method", method}},
                                bounds{.005, .01, .025, .05, .1, .25, .5, 1,
                                       2.5, 5, 10, 30, 60})};
  }

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
};

metrics::metrics()
    : families_(std::make_unique<families>()) {
  // Rates need a first value.
  for (const char* name : {"job-supervisor", "watcher", "vital"})
    families_->restarts.Add(labels{{"actor", name}});
  for (const char* method : {"GET", "POST", "DELETE"})
    families_->di_server_meter_of("/v1alpha1/replicas", method, 200);
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

void metrics::observe_di_server_request(const std::string& page,
                                        const std::string& method, int status,
                                        double seconds) {
  auto meter = families_->di_server_meter_of(page, method, status);
  meter.requests.Increment();
  meter.times.Observe(seconds);
}

void metrics::observe_call_wait(call_priority priority, double seconds) {
  families_->call_waits.observe(priority, seconds);
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
  std::lock_guard guard{families_->mutex};
  auto& meter = families_->resources[resource];
  if (!meter)
    meter = std::make_unique<resource_meter>(families_->watches, resource);
  return *meter;
}

void metrics::set_leading(const std::string& lease, bool leads) {
  families_->leading.Add(labels{{"name", lease}}).Set(leads ? 1 : 0);
  families_->mpi_leading.Set(leads ? 1 : 0);
}

void metrics::count_actor_restart(const char* name) {
  families_->restarts.Add(labels{{"actor", name}}).Increment();
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
  families_->count(families_->created, ns, framework);
}

void metrics::count_deleted_job(const std::string& ns, const char* framework) {
  families_->count(families_->deleted, ns, framework);
}

void metrics::count_succeeded_job(const std::string& ns,
                                  const char* framework) {
  families_->count(families_->successful, ns, framework);
}

void metrics::count_failed_job(const std::string& ns, const char* framework) {
  families_->count(families_->failed, ns, framework);
}

void metrics::count_created_mpi_job() {
  families_->mpi_created.Increment();
}

void metrics::count_succeeded_mpi_job() {
  families_->mpi_successful.Increment();
}

void metrics::count_failed_mpi_job() {
  families_->mpi_failed.Increment();
}

void metrics::count_restarted_replica(const std::string& ns,
                                      const char* framework) {
  families_->count(families_->restarted, ns, framework);
}

void metrics::count_created_pod() {
  families_->pods.Increment();
}

void metrics::count_deleted_pod() {
  families_->pods_deleted.Increment();
}

void metrics::count_created_service() {
  families_->services.Increment();
}

void metrics::count_refused_service() {
  families_->services_refused.Increment();
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
