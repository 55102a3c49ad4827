#pragma once

#include "frameworks/core/workload/workload_state.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace troupe::core {

// What we write into a Workload, each as a function of what the server has. A
// condition keeps the time of its last change of status.

/// After an eviction, when no pod of the job is left: its quota is given back,
/// in one write.
nlohmann::json released_workload(nlohmann::json object, k8s::time_point now);

/// The end of the job, or of the attempt to start it.
nlohmann::json finished_workload(nlohmann::json object,
                                 const std::string& reason,
                                 const std::string& message,
                                 k8s::time_point now);

/// As Kueue's own integration words it.
workload_condition ready_condition_of(const pods_report& report);

nlohmann::json reported_workload(nlohmann::json object,
                                 const pods_report& report,
                                 k8s::time_point now);

/// Without the finalizer that keeps its quota.
nlohmann::json unguarded_workload(nlohmann::json object);

/// With the label by which we watch it.
nlohmann::json labelled_workload(nlohmann::json object);

/// Another Workload of the job, for these counts, which is to take the place of
/// this one.
nlohmann::json next_slice(nlohmann::json object, const std::string& name,
                          const std::vector<pod_set_count>& counts);

/// With these counts; quota is not reserved.
nlohmann::json resized_workload(nlohmann::json object,
                                const std::vector<pod_set_count>& counts);

/// With fewer pods in a pod set, as the quota of the others is given back.
nlohmann::json shrunk_workload(nlohmann::json object,
                               const std::vector<pod_set_count>& counts);

} // namespace troupe::core
