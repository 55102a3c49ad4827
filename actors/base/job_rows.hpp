#pragma once

#include "actors/base/messages.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

/// What a list of jobs shows of one job.
struct job_row {
  std::shared_ptr<const job_reference> job;
  k8s::time_point created{};
  std::string state; ///< As kubectl's column: the type of the last condition.
  std::string summary;
  bool finished = false;
  std::int32_t replicas = 0; ///< Wanted.
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t attempt = 0;   ///< 0: it was never restarted as a whole.
  std::string restart_reason; ///< Why the attempt began: "OOMKilled".
  std::optional<std::int32_t> percent; ///< How far it says that it is.
};

/// The rows that changed after a revision, and the UIDs of those that were
/// removed. If `complete` is set, these are all rows, and any other row that
/// the reader knows was removed.
struct job_changes {
  std::uint64_t revision = 0;
  bool complete = false;
  std::vector<job_row> rows;
  std::vector<std::string> removed;
};

/// Ask for the changes after this revision.
struct get_job_changes {
  std::uint64_t revision = 0;
};

using job_changes_ptr = std::shared_ptr<const job_changes>;

} // namespace troupe::actors

TROUPE_LOCAL_ONLY(job_row)
TROUPE_LOCAL_ONLY(get_job_changes)
TROUPE_LOCAL_ONLY(job_changes_ptr)
