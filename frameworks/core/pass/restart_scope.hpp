#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"
#include "frameworks/core/recovery/course.hpp"

namespace troupe::core {

// What a pass does about a job whose pods are restarted together: it carries
// out what recovery/course decides.

restart_state restart_state_of(const reconcile_context& ctx);

/// What the pods that the job has lost, those of lost nodes too, ask for beyond
/// their own replacement. `others`: what else it has lost. Nothing but the end
/// of the job while the latest attempt is not saved yet.
std::optional<restart_decision>
decide_restart_of_scope(const reconcile_context& ctx,
                        const observed_children& seen,
                        std::vector<lost_replica> others = {});

/// The message if a rule fails the job, else "".
std::string failure_by_rule(const reconcile_context& ctx,
                            const std::optional<restart_decision>& why);

/// Fails the job if a rule says so. Returns whether it did.
bool fail_job_by_rule(reconcile_context& ctx,
                      const std::optional<restart_decision>& why);

/// The message if a restart would exceed the job's budget, else "".
std::string failure_by_budget(const reconcile_context& ctx,
                              const restart_decision& why);

/// Begins an attempt. Nothing is deleted before it is saved.
void begin_attempt_of_scope(reconcile_context& ctx,
                            const restart_decision& why);

/// Begins an attempt, or fails the job if that exceeds its budget. Nothing is
/// deleted before the new attempt is saved.
void begin_attempt_or_fail(reconcile_context& ctx, const restart_decision& why);

/// Deletes the pods of older attempts, if the reason for it is saved; and
/// requeues the job for the time when the next attempt may start.
void stop_older_attempts(reconcile_context& ctx);

/// Whether the job is between two attempts, or not all of it has run since.
bool is_restart_under_way(const reconcile_context& ctx);

/// Notes the time when every replica runs again. Before that a job whose
/// restart is saved does not say that it runs.
void note_recovery(reconcile_context& ctx);

/// Whether pods of a suspended job, which may be restarted as a whole, are
/// still there although it is not to be suspended any more: it is not resumed
/// before they are gone, so that no two runs meet.
bool must_stop_before_resume(const reconcile_context& ctx,
                             const observed_children& seen);

/// The attempt that a pod of this type says it is part of; nullopt: it says
/// nothing, as without a policy.
std::optional<std::int32_t> attempt_for_new_pod(const job& j,
                                                const job_status& s,
                                                const std::string& type_label);

} // namespace troupe::core
