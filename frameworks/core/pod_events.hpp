#pragma once

#include "frameworks/core/observed.hpp"
#include "frameworks/core/status.hpp"

#include <vector>

namespace troupe::core {

/// What keeps a pod that is not finished from getting on: its containers, else
/// its init containers, else its latest condition. Empty if nothing does.
std::vector<job_event> pod_waiting_events(const std::string& pod,
                                          const k8s::pod_state& state);

/// Copies what a job reads of a pod into its view.
void copy_pod_state(child_view& view, const k8s::pod_state& state,
                    const std::string& default_container);

/// What the change from `before` (nullptr: first seen) to `after` has to tell:
/// an exit of the default container, a disruption, that its replacement has to
/// wait, troubles that were not there before.
std::vector<job_event> pod_events(const job& of, const child_view* before,
                                  const child_view& after,
                                  const k8s::pod_state& state);

/// What of that is still to be told though the job has finished: the exit of a
/// pod that failed when the job ended, so that it is one of those that ended
/// it. `known`: it was there before.
std::vector<job_event> events_after_end(std::vector<job_event> events,
                                        bool known, const child_view& pod,
                                        const job_status& over);

} // namespace troupe::core
