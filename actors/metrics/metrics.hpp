#pragma once

#include "frameworks/core/memory/queue_use.hpp"
#include "frameworks/core/memory/recovery_times.hpp"
#include "frameworks/core/model/decision.hpp"
#include "k8s/api.hpp"
#include "k8s/objects.hpp"
#include "k8s/request_counts.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::actors {

enum class call_priority : std::uint8_t;

/// Counts the reconciles of the jobs of one kind, as controller-runtime counts
/// those of a controller and its work queue. It is looked up once, so counting
/// needs no search. Owned by `metrics`. Thread-safe.
class reconcile_meter {
public:
  virtual ~reconcile_meter() = default;
  virtual void on_reconcile_queued() = 0;
  /// It will not run: its job was deleted, or a recovery has begun.
  virtual void on_reconcile_dropped() = 0;
  /// It has left the queue, after so many seconds in there.
  virtual void on_reconcile_started(double waited) = 0;
  /// It has taken so many seconds; `requeued`: another comes at a set time.
  virtual void on_reconcile_ended(double took, bool requeued) = 0;
  /// An order could not be carried out; it is tried again later.
  virtual void count_failed_order() = 0;
};

/// Counts what the watchers of one resource do. It is looked up once. Owned by
/// `metrics`. Thread-safe.
class watch_meter {
public:
  virtual ~watch_meter() = default;
  virtual void count_list() = 0;
  virtual void count_watch_event() = 0;
  /// The watch has to be opened again. `reason`: "closed" if the server ended
  /// it when its time was over, else the failure's name.
  virtual void count_watch_end(const char* reason) = 0;
};

/// What one job contributes to the metrics, as long as this exists.
/// Thread-safe.
class job_meter {
public:
  virtual ~job_meter() = default;
  /// `condition`: the type of its last condition that is true; "" if there is
  /// none.
  virtual void set_state(std::string_view condition) = 0;
  virtual void set_expectations(std::size_t count,
                                std::optional<k8s::time_point> oldest) = 0;
  /// What mpi-operator tells of a job whose launcher's pods a Job of this name
  /// makes.
  virtual void set_launcher_job(const std::string& ns,
                                const std::string& name) = 0;
  virtual void observe_time_to_all_pods(double seconds) = 0;
  virtual void observe_time_to_running(double seconds) = 0;
  /// What the job makes of its time from now on.
  virtual void set_activity(core::job_activity activity,
                            k8s::time_point now) = 0;
  virtual void count_recovery(const core::recovery_counts& counts) = 0;
  /// How far the job of this name says that it is; nullopt: it says nothing, or
  /// has ended.
  virtual void set_progress(const std::string& ns, const std::string& name,
                            std::optional<std::int32_t> percent) = 0;
  /// How the job stands to its queue, which is of this namespace.
  virtual void set_queue_use(const std::string& ns, const core::queue_use& use,
                             k8s::time_point now) = 0;
};

/// Counts the reviews at one path of the webhook server, as controller-runtime
/// counts those of a webhook. Owned by `metrics`. Thread-safe.
class webhook_meter {
public:
  virtual ~webhook_meter() = default;
  virtual void on_review_started() = 0;
  virtual void on_review_ended(int status, double seconds) = 0;
};

/// What the operator counts, in Prometheus' terms. Thread-safe.
class metrics {
public:
  metrics();
  ~metrics();

  /// One call to the API server; `code` is "ok" or the failure's name.
  void observe_api_call(k8s::verb what, const std::string& resource,
                        const char* code, double seconds);
  /// A call was sent after it had waited so many seconds in the gateway.
  void observe_call_wait(call_priority priority, double seconds);
  /// A decision about a child was made; one about the job itself is not
  /// counted here.
  void count_decision(const core::decision& d);
  void count_written_event();
  void count_dropped_event();
  /// Whether this process holds the Lease of this name.
  void set_leading(const std::string& lease, bool leads);
  void count_actor_restart(const char* name);

  watch_meter& watch_meter_of(const std::string& resource);

  /// Of the kind whose controller has this name upstream ("tfjob-controller").
  /// `at_once`: how many reconciles can run at the same time; 0: as in an
  /// earlier call.
  reconcile_meter& reconcile_meter_of(const char* controller,
                                      std::size_t at_once = 0);

  /// A supervisor looks after a job of this framework. The result must not
  /// outlive `this`.
  std::unique_ptr<job_meter> add_job_meter(const char* framework);
  webhook_meter& webhook_meter_of(const std::string& path);
  /// One response of di-server. `page`: the path without names of jobs.
  void observe_di_server_request(const std::string& page,
                                 const std::string& method, int status,
                                 double seconds);

  // training_operator_jobs_*_total{job_namespace, framework}.
  void count_created_job(const std::string& ns, const char* framework);
  void count_deleted_job(const std::string& ns, const char* framework);
  void count_succeeded_job(const std::string& ns, const char* framework);
  void count_failed_job(const std::string& ns, const char* framework);
  // mpi_operator_jobs_*_total, of jobs that have a launcher's Job.
  void count_created_mpi_job();
  void count_succeeded_mpi_job();
  void count_failed_mpi_job();

  /// Workloads of jobs that are gone whose quota is still held, and since when
  /// the oldest waits.
  void set_releases_of_gone_jobs(std::size_t count,
                                 std::optional<k8s::time_point> oldest);

  void count_restarted_replica(const std::string& ns, const char* framework);

  void count_created_pod();
  void count_deleted_pod();
  void count_created_service();
  void count_refused_service();

  /// Where the answers of the API server are counted, for exposition_text().
  void set_request_counts(std::shared_ptr<const k8s::request_counts> answers);

  /// Whether /readyz answers 200.
  void set_ready(bool ready);
  /// When the certificate that the webhooks present ends.
  void set_webhook_certificate_expiry(k8s::time_point end);

  /// The exposition text, text/plain; version=0.0.4, with the metrics of the
  /// process and the gauges of the actors. `report` is the root's reply to
  /// get_report; null if the root has not replied.
  std::string exposition_text(k8s::time_point now,
                              const nlohmann::json& report) const;

private:
  struct families;
  std::unique_ptr<families> families_;
};

} // namespace troupe::actors
