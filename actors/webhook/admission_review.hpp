#pragma once

#include "frameworks/core/model/cluster_options.hpp"
#include "frameworks/core/model/framework.hpp"
#include "k8s/http/server.hpp"
#include "k8s/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

// The jobs may be outlines (frameworks/conversions.hpp).

/// Why the job may not be written: all errors in one line; nullopt if it may.
/// `old` is the job before an update, null at a creation. `queueing`: its rules
/// hold for kinds that are queued.
std::optional<std::string>
find_admission_error(const core::framework& kind, const k8s::json& job,
                     const k8s::json& old,
                     const core::queueing_options& queueing = {});

/// What the mutating webhook of the kind sets in the job.
void set_admission_defaults_if_any(const core::framework& kind, k8s::json& job);

/// What the writer of the job should know, whether or not the write is allowed.
std::vector<std::string> find_admission_warnings(const core::framework& kind,
                                                 const k8s::json& job);

/// Answers an API server that asks for a review (AdmissionReview v1) of a job.
/// Jobs of kinds that are not among `kinds` are allowed, because those who
/// reconcile them have rules of their own. A path without a webhook is answered
/// 404, a request that is not such a review 400.
k8s::http::response
answer_admission_review(const k8s::http::request& r,
                        const std::vector<const core::framework*>& kinds,
                        const core::queueing_options& queueing = {});

} // namespace troupe::actors
