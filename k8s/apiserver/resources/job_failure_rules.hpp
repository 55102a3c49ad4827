#pragma once

#include "k8s/apiserver/base/status_error.hpp"

namespace troupe::k8s::apiserver {

/// Checks the podFailurePolicy of a Job's spec.
void validate_job_failure_rules(const json& spec, field_errors& out);

} // namespace troupe::k8s::apiserver
