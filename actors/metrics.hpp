#pragma once

#include "k8s/api.hpp"
#include "k8s/request_counts.hpp"

#include <memory>
#include <string>

namespace troupe::actors {

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

/// What the operator counts, in Prometheus' terms. Thread-safe.
class metrics {
public:
  metrics();
  ~metrics();

  /// One call to the API server; `code` is "ok" or the failure's name.
  void observe_api_call(k8s::verb what, const std::string& resource,
                        const char* code, double seconds);
  void watch_event(const std::string& resource);
  void count_list_started(const std::string& resource);
  void count_reconcile();
  /// Whether this process holds the Lease of this name.
  void set_leading(const std::string& lease, bool leads);
  void actor_restarted(const char* name);

  /// Of the kind whose controller has this name upstream ("tfjob-controller").
  /// `at_once`: how many reconciles can run at the same time; 0: as in an
  /// earlier call.
  pass_meter& passes(const char* controller, std::size_t at_once = 0);

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

  /// The exposition text, text/plain; version=0.0.4. Includes the process
  /// metrics.
  std::string text() const;

private:
  struct families;
  std::unique_ptr<families> families_;
};

} // namespace troupe::actors
