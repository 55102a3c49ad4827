#pragma once

#include "frameworks/core/decision.hpp"
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
/// those of a controller and its work queue. Looked up once; counting needs no
/// search. Owned by `metrics`. Thread-safe.
class pass_meter {
public:
  virtual ~pass_meter() = default;
  /// A reconcile was enqueued.
  virtual void queued() = 0;
  /// It will not run: its job was deleted, or a recovery has begun.
  virtual void dropped() = 0;
  /// It has left the queue, after so many seconds in there.
  virtual void begun(double waited) = 0;
  /// It has taken so many seconds; `again`: at a set time comes another.
  virtual void ended(double took, bool again) = 0;
  /// A decision could not be carried out; it is tried again later.
  virtual void failed() = 0;
};

/// Counts what the watchers of one resource do. Looked up once. Owned by
/// `metrics`. Thread-safe.
class watch_meter {
public:
  virtual ~watch_meter() = default;
  virtual void list_started() = 0;
  virtual void event_received() = 0;
  /// The watch has to be opened again. `reason`: "closed" by the server when
  /// its time was over, or the failure's name.
  virtual void watch_ended(const char* reason) = 0;
};

/// What one job contributes to the metrics, as long as this exists.
/// Thread-safe.
class job_meter {
public:
  virtual ~job_meter() = default;
  /// The type of its last condition that is true, "" if there is none.
  virtual void set_state(std::string_view condition) = 0;
  virtual void set_expectations(std::size_t count,
                                std::optional<k8s::time_point> oldest) = 0;
  virtual void observe_time_to_all_pods(double seconds) = 0;
  virtual void observe_time_to_running(double seconds) = 0;
};

/// Counts the reviews at one path of the webhook server, as controller-runtime
/// counts those of a webhook. Owned by `metrics`. Thread-safe.
class webhook_meter {
public:
  virtual ~webhook_meter() = default;
  virtual void begun() = 0;
  virtual void ended(int status, double seconds) = 0;
};

/// What the operator counts, in Prometheus' terms. Thread-safe.
class metrics {
public:
  metrics();
  ~metrics();

  /// One call to the API server; `code` is "ok" or the failure's name.
  void observe_api_call(k8s::verb what, const std::string& resource,
                        const char* code, double seconds);
  /// A call was sent, after so many seconds in the gateway.
  void observe_call_wait(call_priority priority, double seconds);
  /// A decision about a child was made; one about the job itself is not
  /// counted here.
  void count_decision(const core::decision& d);
  void event_written();
  void event_dropped();
  /// Whether this process holds the Lease of this name.
  void set_leading(const std::string& lease, bool leads);
  void actor_restarted(const char* name);

  watch_meter& watches(const std::string& resource);

  /// Of the kind whose controller has this name upstream ("tfjob-controller").
  /// `at_once`: how many reconciles can run at the same time; 0: as in an
  /// earlier call.
  pass_meter& passes(const char* controller, std::size_t at_once = 0);

  /// A supervisor looks after a job of this framework; not longer than `this`.
  std::unique_ptr<job_meter> add_job(const char* framework);
  webhook_meter& webhook(const std::string& path);
  /// One response of di-server. `page`: the path without names of jobs.
  void observe_di_server_request(const std::string& page,
                                 const std::string& method, int status,
                                 double seconds);

  // training_operator_jobs_*_total{job_namespace, framework}.
  void job_created(const std::string& ns, const char* framework);
  void job_deleted(const std::string& ns, const char* framework);
  void job_succeeded(const std::string& ns, const char* framework);
  void job_failed(const std::string& ns, const char* framework);
  void job_restarted(const std::string& ns, const char* framework);

  void pod_created();
  void pod_deleted();
  void service_created();
  void service_refused();

  /// Where the answers of the API server are counted, for text().
  void
  export_request_counts_of(std::shared_ptr<const k8s::request_counts> answers);

  /// Whether /readyz answers 200.
  void set_ready(bool ready);
  /// When the certificate that the webhooks show ends.
  void set_webhook_certificate_expiry(k8s::time_point end);

  /// The exposition text, text/plain; version=0.0.4, with the process metrics,
  /// and gauges of the actors from the root's reply to get_report; null: it has
  /// not replied.
  std::string text(k8s::time_point now, const nlohmann::json& report) const;

private:
  struct families;
  std::unique_ptr<families> families_;
};

} // namespace troupe::actors
