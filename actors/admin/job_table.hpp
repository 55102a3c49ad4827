#pragma once

#include "actors/messages.hpp"
#include "frameworks/core/uid_key.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

/// What a list of jobs shows of one.
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
};

bool operator==(const job_row& a, const job_row& b);

/// The rows that changed after a revision, and the UIDs of those that were
/// removed. If `complete` is set, these are all rows there are, and others that
/// the reader knows were removed.
struct job_changes {
  std::uint64_t revision = 0;
  bool complete = false;
  std::vector<job_row> rows;
  std::vector<std::string> removed;
};

/// The rows of all jobs. Each change has a revision, so that a reader gets only
/// what it does not know yet. A value.
class job_table {
public:
  /// Adds or replaces the row of the job with this UID.
  void add_or_update_job(job_row row);
  void remove_job(const std::string& uid);
  /// 0, and a revision that is not known (any more), give all rows.
  job_changes changes_since(std::uint64_t revision) const;

private:
  struct entry {
    job_row row;
    std::uint64_t revision = 0;
  };
  struct removal {
    std::uint64_t revision;
    std::string uid;
  };

  std::map<core::uid_key, entry> rows_; ///< By UID.
  std::deque<removal> removals_;        ///< The latest ones, newest last.
  /// Of the latest removal that was forgotten.
  std::uint64_t forgotten_revision_ = 0;
  std::uint64_t revision_ = 1;
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
