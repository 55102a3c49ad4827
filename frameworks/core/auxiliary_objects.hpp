#pragma once

#include "frameworks/core/reconcile_context.hpp"

#include <chrono>
#include <optional>

namespace troupe::core {

// What a job has beside its pods and services: by name, made and kept as the
// framework (and gang scheduling) want it, removed when nobody wants it.

/// Creates what is missing, corrects what differs, removes what is not wanted;
/// says in the pass what pods still have to wait for.
void reconcile_auxiliary_objects(reconcile_context& p,
                                 const observed_children& seen);

/// The same for a job that is suspended: makes and corrects nothing.
void suspend_auxiliary_objects(reconcile_context& p,
                               const observed_children& seen);

/// How long to wait before one is asked for once more, without a word, that
/// was refused for the first time, because the API server may not yet see what
/// it refers to; nullopt: it was refused for another reason.
std::optional<std::chrono::milliseconds>
delay_while_unseen(const auxiliary_object& wanted, const k8s::failure& why,
                   int refused_before, double jitter);

/// Removes the pod groups of a job that is over; its other auxiliary objects
/// stay until the job itself goes.
void remove_pod_groups(reconcile_context& p, const observed_children& seen);

/// The kinds of auxiliary objects that jobs of this kind may have; what a
/// watcher is needed for.
std::vector<child_kind> auxiliary_kinds_for(const framework& f,
                                            const cluster_options& cluster);

} // namespace troupe::core
