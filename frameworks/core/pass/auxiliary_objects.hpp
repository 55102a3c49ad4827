#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace troupe::core {

// The objects that a job has beside its pods and services. They are identified
// by name, created and updated as the framework (and gang scheduling) desire
// it, and deleted when they are no longer desired.

/// Creates what is missing, updates what differs, deletes what is not desired.
/// Returns why no pod may be created yet, "" if they may.
std::string
reconcile_auxiliary_and_get_pod_blocker(reconcile_context& ctx,
                                        const observed_children& seen);

/// For a suspended job: deletes what is not desired, but creates and corrects
/// nothing.
void delete_undesired_auxiliary_for_suspend(reconcile_context& ctx,
                                            const observed_children& seen);

/// The delay before a creation is repeated without an event, if it failed for
/// the first time because the API server may not yet see what the object
/// references; nullopt: it failed for another reason.
std::optional<std::chrono::milliseconds>
retry_delay_for_unseen_ref(const auxiliary_object& wanted,
                           const k8s::failure& why, int failures_before,
                           double jitter);

/// One object: creates it if it is missing, corrects it if it differs, reads it
/// if its content is not known.
void create_correct_or_read_auxiliary(reconcile_context& ctx,
                                      const observed_children& seen,
                                      const auxiliary_object& wanted);

/// The PodGroup for Kubernetes' own scheduler: makes it, keeps its minCount,
/// deletes one that is not wanted, and notes which one new pods name. Returns
/// why no pod may be created yet, "" if they may, or if there are no such
/// gangs.
std::string
reconcile_native_group_and_get_pod_blocker(reconcile_context& ctx,
                                           const observed_children& seen);

void delete_pod_groups(reconcile_context& ctx, const observed_children& seen,
                       const char* why);

/// Deletes the pod groups of a finished job; its other auxiliary objects remain
/// until the job itself is deleted.
void delete_pod_groups_of_finished_job(reconcile_context& ctx,
                                       const observed_children& seen);

/// The kinds of auxiliary objects that jobs of this kind may have: those that
/// need a watcher.
std::vector<child_kind> auxiliary_kinds_for(const framework& f,
                                            const cluster_options& cluster);

} // namespace troupe::core
