#pragma once

#include "k8s/apiserver/base/status_error.hpp"

#include <cstdint>

namespace troupe::k8s::apiserver {

/// What one Job may have of pods here, where others share the machine.
/// Kubernetes itself has no such limits.
inline constexpr std::int64_t most_parallel_job_pods = 1000;
inline constexpr std::int64_t most_job_completions = 10'000;

// What is wrong with a Job that has its defaults, in the words of API servers.

field_errors validate_job(const json& job);
field_errors validate_job_update(const json& job, const json& old);
field_errors validate_job_status_update(const json& job, const json& old);

} // namespace troupe::k8s::apiserver
