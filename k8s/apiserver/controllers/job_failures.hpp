#pragma once

#include "k8s/apiserver/controllers/job_values.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// What a Job's podFailurePolicy makes of a failed pod.
struct job_failure_match {
  bool is_counted = true; ///< False: it matches a rule that ignores it.
  bool fails_job = false;
  std::string message; ///< If it fails the Job.
};

/// The first rule that matches decides.
job_failure_match match_job_failure(const json& rules, const std::string& ns,
                                    const job_pod& pod);

} // namespace troupe::k8s::apiserver
