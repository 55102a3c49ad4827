#pragma once

#include "k8s/api.hpp"

#include <memory>
#include <string>

namespace troupe::actors {

/// What the operator counts, in Prometheus' terms. Thread-safe.
class metrics {
public:
  metrics();
  ~metrics();

  /// One call to the API server; `code` is "ok" or the failure's name.
  void call_ended(k8s::verb what, const std::string& resource, const char* code,
                  double seconds);
  void watch_event(const std::string& resource);
  void relisted(const std::string& resource);
  void pass_run();
  void actor_restarted(const char* name);

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

  /// The exposition text, text/plain; version=0.0.4.
  std::string text() const;

private:
  struct families;
  std::unique_ptr<families> families_;
};

} // namespace troupe::actors
