#pragma once

#include "k8s/apiserver/resources/served_resource.hpp"

namespace troupe::k8s::apiserver {

/// The controller that a Job has unless its managedBy names another one.
inline constexpr const char* job_controller_name =
    "kubernetes.io/job-controller";

/// Labels of a Job's pods: the Job's name, and its UID.
inline constexpr const char* job_name_labels[] = {"job-name",
                                                  "batch.kubernetes.io/"
                                                  "job-name"};
inline constexpr const char* job_uid_labels[] = {"controller-uid",
                                                 "batch.kubernetes.io/"
                                                 "controller-uid"};

/// How Jobs are defaulted and validated.
write_strategy job_strategy();

/// Whether a condition of this type is True.
bool has_true_job_condition(const json& job, const char* type);

/// Whether the Job is Complete or Failed.
bool is_finished_job(const json& job);

} // namespace troupe::k8s::apiserver
