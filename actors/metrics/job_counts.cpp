#include "actors/metrics/job_counts.hpp"

namespace troupe::actors {

job_counter::job_counter(prometheus::Registry& r, const char* name,
                         const char* help)
    : table_(add_counter_family(r, name, help)) {}

void job_counter::count(const std::string& ns, const char* framework) {
  std::lock_guard guard{mutex_};
  table_
      .at(ns + ' ' + framework,
          [&] {
            return metric_labels{{"job_namespace", ns},
                                 {"framework", framework}};
          })
      .Increment();
}

job_counts::job_counts(prometheus::Registry& r)
    : created(r, "training_operator_jobs_created_total", "Jobs that are new")
    , deleted(r, "training_operator_jobs_deleted_total",
              "Jobs removed after their time to live")
    , successful(r, "training_operator_jobs_successful_total", "Jobs succeeded")
    , failed(r, "training_operator_jobs_failed_total", "Jobs failed")
    , restarted(r, "training_operator_jobs_restarted_total",
                "Failed pods of jobs that were replaced")
    , pods(add_counter(r, "created_pods_total", "Pods created"))
    , pods_deleted(add_counter(r, "deleted_pods_total", "Pods deleted"))
    , services(add_counter(r, "succeeded_service_creation_total",
                           "Services created"))
    , services_refused(add_counter(r, "failed_service_creation_total",
                                   "Service creations refused"))
    , mpi_created(add_counter(r, "mpi_operator_jobs_created_total",
                              "Counts number of MPI jobs created"))
    , mpi_successful(add_counter(r, "mpi_operator_jobs_successful_total",
                                 "Counts number of MPI jobs successful"))
    , mpi_failed(add_counter(r, "mpi_operator_jobs_failed_total",
                             "Counts number of MPI jobs failed")) {}

} // namespace troupe::actors
