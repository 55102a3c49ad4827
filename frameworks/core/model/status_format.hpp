#pragma once

#include "frameworks/core/model/status.hpp"

#include <string>
#include <string_view>

namespace troupe::core {

/// How a kind of job has its status in JSON. Reading is total: what is not
/// understood is empty. The defaults are the training operator's.
struct status_format {
  std::string (*encode)(const job_status& s) = encode_status;
  job_status (*decode)(std::string_view json) = decode_status;
};

/// The saved status of a job (object_detail::spec_and_status), with restarts
/// from the annotation if the status has none.
job_status decode_job_status(const k8s::object& job,
                             const status_format& format = {});

} // namespace troupe::core
