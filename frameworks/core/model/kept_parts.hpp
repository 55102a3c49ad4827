#pragma once

#include "frameworks/core/model/status.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::core {

// The definitions of other projects lack some fields of our statuses, so their
// API servers drop them silently. What must survive a restart of the operator
// is kept in annotations of the job then.

/// Some of the parts of a status that may be dropped.
struct kept_parts {
  bool restarts = false; ///< status.restarts.
  /// restartAttempt and what is written with it.
  bool attempts = false;
  bool completed = false; ///< replicaStatuses[*].completedIndexes.
  /// status.progress: it is in no annotation, but only told by this process.
  bool progress = false;

  bool any() const { return restarts || attempts || completed || progress; }
  /// Those that are in the annotation `label::recovery`.
  bool of_recovery() const { return attempts || completed; }
};

kept_parts operator|(const kept_parts& a, const kept_parts& b);
kept_parts operator&(const kept_parts& a, const kept_parts& b);
kept_parts operator~(const kept_parts& a);

/// The parts of which something is written.
kept_parts parts_of_status(const job_status& s);
/// The parts of which an annotation says something.
kept_parts parts_of_annotations(const std::map<std::string, std::string>& all);
/// The parts in which the server has to be told something: what is done of a
/// finished job is not written.
kept_parts different_parts(const job_status& saved, const job_status& wanted);

/// Of the parts that were written, those that are not in what the server has
/// stored.
kept_parts dropped_parts(const job_status& written, const job_status& stored);

job_status with_parts_of(job_status s, const kept_parts& which,
                         const job_status& other);

/// A merge patch of the job with this UID that puts these parts into
/// annotations; nothing else is changed. If attempts are among them, it holds
/// for that version of the job only.
std::string kept_parts_patch(const job_status& s, const kept_parts& which,
                             const std::string& uid, std::uint64_t version);

/// Adds what annotations have: restarts if the status has none; attempts, and
/// the replicas that are done, unless the status has a later attempt.
void merge_kept_parts(job_status& s,
                      const std::map<std::string, std::string>& annotations);

/// The names of the annotations for these parts.
std::vector<const char*> annotations_of_parts(const kept_parts& which);

} // namespace troupe::core
