#pragma once

#include "frameworks/core/model/job.hpp"
#include "frameworks/core/progress/progress_status.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe::core {

/// The largest body that is read.
inline constexpr std::size_t max_report_bytes = 64 * 1'024;
/// More metrics than this are an error; those beyond max_progress_metrics are
/// left out.
inline constexpr std::size_t max_reported_metrics = 256;
/// A year and more is no estimate: it fits into the 32 bits that clients use.
inline constexpr std::int64_t max_remaining_seconds = 2'147'483'647;

/// A report of a training program, read.
struct progress_report {
  /// Without time and source, which the report does not decide.
  progress_status progress;
  /// What is wrong with it; then nothing of it is taken. Empty: it is valid.
  std::vector<field_error> errors;
};

/// Reads the body of a report, in the protocol of Kubeflow Trainer:
/// {"trainerStatus": {"progressPercentage": 45, "estimatedRemainingSeconds":
/// 60, "metrics": [{"name": "loss", "value": "0.2"}], "lastUpdatedTime": ...}}.
/// Fields that it does not know are ignored, as those of later versions.
progress_report read_progress_report(std::string_view body);

/// The body of the answer to a report: what was taken of it.
std::string taken_report_json(const progress_status& taken);

} // namespace troupe::core
