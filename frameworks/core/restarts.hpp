#pragma once

#include "frameworks/core/reconcile_context.hpp"

#include <vector>

namespace troupe::core {

/// What becomes of a pod that ended in failure.
enum class failure_action {
  replace,             ///< By a new one; the job goes on.
  already_terminating, ///< It is going anyway; its slot is filled again.
  replace_disrupted,   ///< The cluster ended it: replaced, and no failure.
  fail_job,            ///< An exit code says that trying again is no use.
  keep,                ///< As it is; the kind decides what that means.
};

/// Exit codes from here on are worth another try; so is an end without any.
constexpr std::int32_t first_retryable_exit_code = 128;

failure_action action_on_failure(const framework& f, restart_policy policy,
                                 const child_view& failed);

/// Whether the removal of this pod of a job that goes on restarts a replica.
bool is_restart(const job& j, const child_view& removed);

/// Pods in a slot of their own that are to be replaced, in order; failed ones
/// and disrupted ones.
std::vector<const child_view*> pods_to_replace(const reconcile_context& p);

/// Whether the replacement of this pod is on record, or need not be.
bool restart_is_recorded(const job& j, const job_status& s,
                         const child_view& pod);

/// Before when a failed pod is not to be replaced, lest pods that fail at once
/// come and go as fast as the API server allows; nullopt: it may be now.
std::optional<time_point> earliest_replacement(const child_view& failed);

/// "job-worker-1 failed within 10 s of its start, 3 times in a row; it is
/// replaced at 2026-01-31T12:00:00Z", of one that has to wait.
std::string describe_replacement_wait(const child_view& failed);

/// Enters into the status what counts against the backoff limit: pods about to
/// be replaced, and pods that vanished with restarts behind them. Only for
/// jobs with a limit. Pods that are gone are kept as one entry per name.
void record_restarts(reconcile_context& p, const observed_children& seen);

/// Removes the pods that are to be replaced, when their time has come; with a
/// backoff limit only those whose record has been saved, so that no crash
/// forgets a restart. A pod that has to wait is told how many failed before it,
/// so that no crash forgets that either.
void replace_failed_pods(reconcile_context& p);

/// Whether the limit on restarts is passed, counting what is now asked for.
bool exceeds_backoff_limit(const reconcile_context& p,
                           const observed_children& seen);

} // namespace troupe::core
