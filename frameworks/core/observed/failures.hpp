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
  /// The cluster ended it, or an init container of ours, or a rule says so:
  /// replace it, but do not count a failure.
  replace_uncounted,
  restart_replica_type, ///< All pods of its type are replaced.
  restart_job,          ///< All pods of the job are.
  fail_job, ///< Its exit code is permanent (< 128), or a rule says so.
  keep,     ///< Keep it; the framework decides what that means.
};

/// The action, and the rule of the job's policy that says so, or nullptr.
struct failure_decision {
  failure_action action = failure_action::keep;
  const failure_rule* rule = nullptr;
};

/// Exit codes from here on are retryable; so is a failure without an exit code
/// (eviction).
constexpr std::int32_t first_retryable_exit_code = 128;

/// By the job's rules, else by the restart policy of the replica type and the
/// scope of the job's policy. `failed` has failed.
failure_decision decide_on_failure(const job& j, const replica_spec& type,
                                   const child_view& failed);

/// By the restart policy alone, for a job without a failure policy.
failure_action action_on_failure(const framework& f, restart_policy policy,
                                 const child_view& failed);

/// What a restart of this scope does to a job of this kind: a type whose pods
/// are made last is never left when another type is restarted.
failure_action action_of_scope(const job& j, restart_scope scope);

/// Whether a pod has failed and must be replaced, alone.
bool must_replace_failed_pod(const job& j, const replica_spec& type,
                             const child_view& pod);

/// Whether a pod has failed, is not replaced, and the job goes on without it:
/// as of workers of a TFJob whose workers are dynamic.
bool has_failed_for_good(const job& j, const replica_spec& type,
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
