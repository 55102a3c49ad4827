#pragma once

#include "frameworks/core/model/status_format.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <string>

namespace troupe::frameworks::di::tasks {

/// The phases of a DIJob of tasks; conditions have the same names.
namespace phase {
inline constexpr const char* pending = "Pending";
inline constexpr const char* starting = "Starting";
inline constexpr const char* running = "Running";
inline constexpr const char* restarting = "Restarting";
inline constexpr const char* rescheduling = "Rescheduling";
inline constexpr const char* succeeded = "Succeeded";
inline constexpr const char* failed = "Failed";
} // namespace phase

/// The status of DI-orchestrator v1.1.3: phase, counters, conditions.
core::status_format status_format();

/// Enters a phase: its condition is added and becomes true, all others false.
/// Returns false, and changes nothing, if the job is in this phase already.
bool set_phase_and_condition(core::job_status& s, const char* phase,
                             std::string message, core::time_point now);

/// Counts the job's pods by task and phase, and those that are ready.
void update_pod_counts(core::job_status& s, const core::job& j,
                       const core::observed_children& seen);

/// Sets the counts of pods to none, as those of a finished job are.
void reset_pod_counts(core::job_status& s);

} // namespace troupe::frameworks::di::tasks
