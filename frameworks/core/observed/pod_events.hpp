#pragma once

#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <vector>

namespace troupe::core {

/// The events about what blocks a pod that is not finished: its containers,
/// else its init containers, else its latest condition. Empty if nothing does.
std::vector<job_event> pod_waiting_events(const std::string& pod,
                                          const k8s::pod_state& state);

/// Copies what a job reads of a pod into its view. The problem of a failed pod
/// is its own reason and message; the problem of a pod that runs on although
/// its default container has ended for good names the containers that keep it.
void copy_pod_state(child_view& view, const k8s::pod_state& state,
                    const k8s::object_meta& meta, const job& of);

/// The events for a change from `before` (nullptr: first seen) to `after`: an
/// exit of the default container, a disruption, an init container of ours that
/// gave up, a delayed replacement, new problems of a pod that has not ended.
std::vector<job_event> pod_events(const job& of, const child_view* before,
                                  const child_view& after,
                                  const k8s::pod_state& state);

/// Keeps those events that are emitted although the job has finished: the exit
/// of a pod that failed when the job ended, and so may have caused the end.
/// `known`: the pod was seen before.
std::vector<job_event> keep_final_exit_events(std::vector<job_event> events,
                                              bool known, const child_view& pod,
                                              const job_status& over);

} // namespace troupe::core
