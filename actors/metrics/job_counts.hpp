#pragma once

#include "actors/metrics/families.hpp"

#include <mutex>
#include <string>

namespace troupe::actors {

/// One counter of training-operator, by the jobs' namespace and framework.
/// Thread-safe.
class job_counter {
public:
  job_counter(prometheus::Registry& r, const char* name, const char* help);

  void count(const std::string& ns, const char* framework);

private:
  std::mutex mutex_; // Of all below.
  counter_table table_;
};

/// What training-operator and mpi-operator count of jobs and their children.
struct job_counts {
  explicit job_counts(prometheus::Registry& r);

  job_counter created;
  job_counter deleted;
  job_counter successful;
  job_counter failed;
  job_counter restarted;

  prometheus::Counter& pods;
  prometheus::Counter& pods_deleted;
  prometheus::Counter& services;
  prometheus::Counter& services_refused;

  // mpi-operator's.
  prometheus::Counter& mpi_created;
  prometheus::Counter& mpi_successful;
  prometheus::Counter& mpi_failed;
};

} // namespace troupe::actors
