#pragma once

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/job.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace troupe::core {

/// What of a job that is written, as JSON, these rules look at.
struct written_queueing {
  const nlohmann::json* labels = nullptr; ///< nullptr: there is no job.
  std::string spec;                       ///< JSON text.
};

/// What is wrong with the labels and annotations by which a job asks for a
/// queue of Kueue's, and with their change. What was wrong before, and is
/// written again as it was, is none. Rules of jobs that are queued by us.
std::vector<field_error> find_queueing_errors(const framework& kind,
                                              const written_queueing& job,
                                              const written_queueing& old);

} // namespace troupe::core
