#pragma once

#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/observed/ownership.hpp"

#include <optional>
#include <string>

namespace troupe::core {

// Events about calls to the API server, with the texts of training-operator v1.

job_event child_created_event(const create_child& made, const job& j,
                              const std::string& name);
/// nullopt: no event for this kind.
std::optional<job_event> child_created_event(const create_auxiliary& made);

/// The event about a creation that failed because an object that is not the
/// job's has the name, for a kind with its own text about that; else nullopt.
std::optional<job_event>
own_taken_name_event(const framework& f, child_kind kind,
                     const std::string& name, const k8s::failure& why,
                     const ownership_conflict& conflict);

/// `whose_move`: who removes the cause of the failure, if that is known.
job_event
child_create_failed_event(const create_child& wanted, const job& j,
                          const k8s::failure& why,
                          const std::optional<next_move>& whose_move = {});
/// `conflict`: with the existing object of that name, if there is one.
job_event child_create_failed_event(const create_auxiliary& wanted,
                                    const job& j, const k8s::failure& why,
                                    const ownership_conflict& conflict);

/// What a step in a queue of Kueue's tells on the job, with the reasons of
/// Kueue's own integration; nullopt: nothing. `workload`: as it is now, if it
/// was written.
std::optional<job_event> queue_event(const job& j, const queue_order& d,
                                     const workload_state* workload);

std::vector<job_event> child_deleted_events(const framework& f, child_kind kind,
                                            const std::string& name);
/// A pod was deleted at once because its node is lost: on the job and on the
/// pod.
std::vector<job_event> pod_lost_events(const job& j, const delete_child& d);
/// The first time in the memory of a job; what depends on the right to read
/// nodes is left undone.
job_event node_read_refused_event(const read_node& d, const k8s::failure& why);

/// The event about a failed decision that is no creation, after this many
/// consecutive failures before it. A job continues without the right to adopt
/// or release a child, so the event about that is emitted once. nullopt: no
/// event.
std::optional<job_event>
failed_order_event_except_creation(const framework& f, const decision& d,
                                   const k8s::failure& why,
                                   int failures_before);

/// The job itself was removed after its time (or could not be).
job_event job_deleted_event(const framework& f, const std::string& name);
job_event job_delete_failed_event(const framework& f, const std::string& why);

// A status whose fields the server drops, and whose annotation it refuses:
/// These are known to this process only.
job_event restarts_not_saved_event(const framework& kind,
                                   const k8s::failure& why);
job_event recovery_not_saved_event(const framework& kind,
                                   const k8s::failure& why);
/// A new attempt waits until it can be saved.
job_event attempt_not_saved_event(const framework& kind, std::int32_t attempt,
                                  const k8s::failure& why);
/// Takes the events that tell of a restart out of `from`: they wait, too.
std::vector<job_event> take_restart_events(std::vector<job_event>& from,
                                           const framework& kind);

} // namespace troupe::core
