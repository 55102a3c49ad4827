#pragma once

#include "frameworks/core/model/child_view.hpp"
#include "frameworks/core/model/framework.hpp"

#include <optional>
#include <string>

namespace troupe::core {

/// What to do about a failed pod.
enum class failure_action {
  replace, ///< Replace it by a new one; the job continues.
  /// It is terminating; a new pod is created when it is deleted.
  already_terminating,
  /// The cluster ended it, or an init container of ours: replace it, but do not
  /// count a failure.
  replace_uncounted,
  fail_job, ///< Its exit code is permanent (< 128): the job fails.
  keep,     ///< Keep it; the framework decides what that means.
};

/// Exit codes from here on are retryable; so is a failure without an exit code
/// (eviction).
constexpr std::int32_t first_retryable_exit_code = 128;

failure_action action_on_failure(const framework& f, restart_policy policy,
                                 const child_view& failed);

/// Whether a pod has failed and must be replaced.
bool must_replace_failed_pod(const framework& f, restart_policy policy,
                             const child_view& pod);

/// Whether the deletion of this pod of an unfinished job restarts a replica.
bool deletion_restarts_replica(const job& j, const child_view& deleted);

/// The earliest time to replace a failed pod, so that pods that fail
/// immediately are not recreated in a tight loop (CrashLoopBackOff); nullopt:
/// now.
std::optional<time_point>
delayed_replacement_time_if_any(const child_view& failed);

/// "job-worker-1 failed within 10 s of its start, 3 times in a row; it is
/// replaced at 2026-01-31T12:00:00Z", for a pod whose replacement is delayed.
std::string describe_replacement_wait(const child_view& failed);

} // namespace troupe::core
