#pragma once

#include "frameworks/core/model/status.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::core {

/// Limits on what is read of a job's `status`, which somebody else may have
/// written. A field that exceeds its limit counts as absent; of lists and maps
/// the first entries are read.
constexpr std::size_t max_status_values = 100'000;
constexpr std::size_t max_conditions = 100;
constexpr std::size_t max_restart_records = 10'000;
constexpr std::size_t max_status_types = 1'000;

/// How a kind of job has its status in JSON. Reading is total: what is not
/// understood is empty. The defaults are the training operator's.
struct status_format {
  std::string (*encode)(const job_status& s) = encode_status;
  job_status (*decode)(std::string_view json) = decode_status;
};

/// The saved status of a job (object_detail::spec_and_status), with what its
/// annotations have in place of fields that were dropped.
job_status decode_job_status(const k8s::object& job,
                             const status_format& format = {});

} // namespace troupe::core
