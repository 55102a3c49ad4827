#pragma once

#include "frameworks/core/base/uid_key.hpp"
#include "frameworks/core/model/child_view.hpp"

#include <memory>
#include <set>
#include <string>
#include <utility>

namespace troupe::exploration {
struct state_reader;
} // namespace troupe::exploration

namespace troupe::core {

struct framework;
class observed_children;

/// The batch/v1 Jobs that are, or were, a job's launcher Job: the Job that
/// makes the pods of its launcher. A value.
class launcher_jobs {
public:
  /// `type`: the replica type whose pods a launcher Job makes, or "".
  void set_type(std::string type) { type_ = std::move(type); }
  /// The slot that its pods fill.
  slot pods_slot() const { return {type_, 0}; }

  void note_owned(const uid_key& uid);
  /// Whether the Job with this UID is, or was, the job's launcher Job, as far
  /// as this process has seen.
  bool has_ever_had(const uid_key& uid) const { return own_.count(uid) > 0; }

  /// It is gone, as it was last seen. `is_failure_final`: the failure of one is
  /// the end of the job, because no policy decides about it.
  void note_gone(const child_view& gone, bool is_failure_final);
  /// It was not in a list. Returns whether it vanished: it may have ended
  /// unseen.
  bool note_unlisted_and_check_vanished(const child_view& gone);

  /// Whether one vanished between two watches, and none was seen since.
  bool has_vanished() const { return vanished_; }
  /// The one that had ended when somebody else removed it; nullptr: there is
  /// none, or another Job since.
  const child_view* removed() const { return removed_.get(); }
  void forget_removed() { removed_ = nullptr; }

private:
  friend struct exploration::state_reader;

  std::string type_;
  std::set<uid_key> own_;
  bool vanished_ = false;
  std::shared_ptr<const child_view> removed_;
};

/// The batch/v1 Job that makes the job's launcher pods; nullptr if none is
/// known. If two are, the one that is not on its way out, or the newer.
const child_view* own_launcher_job(const observed_children& seen);

/// Whether that Job may make pods: it is there, and not suspended.
bool is_launcher_started(const observed_children& seen);

/// Whether the job's own launcher Job has made this pod. Labels alone prove
/// nothing: everybody in the namespace can write them.
bool is_launcher_pod(const child_view& pod, const observed_children& seen);

/// The name of the batch/v1 Job that makes pods for the job of this name; "" if
/// none does for jobs of this kind.
std::string launcher_job_name(const framework& kind, const std::string& job);

} // namespace troupe::core
