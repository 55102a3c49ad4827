#pragma once

#include "actors/base/job_rows.hpp"
#include "frameworks/core/base/uid_key.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace troupe::actors {

bool operator==(const job_row& a, const job_row& b);

/// The rows of all jobs. Each change has a revision, so that a reader gets only
/// the changes that it does not know yet. A value.
class job_table {
public:
  /// Adds or replaces the row of the job with this UID.
  void add_or_update_job(job_row row);
  void remove_job(const std::string& uid);
  /// All rows if `revision` is 0, or is not known (any more).
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

} // namespace troupe::actors
