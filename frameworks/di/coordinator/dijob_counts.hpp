#pragma once

#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <map>
#include <string>

namespace troupe::frameworks::di {

inline constexpr const char* coordinator_type = "Coordinator";

/// The counts of the pods of each of the framework's replica types, which do
/// not include ddp learners. A pod whose main process has ended for good counts
/// as succeeded or failed, although another of its containers may still run.
/// Terminating pods and pods of others do not count.
std::map<std::string, core::replica_status>
count_pods_by_type(const core::job& j, const core::observed_children& seen);

/// Pods that still run when a job succeeds count as succeeded.
void count_running_as_succeeded(core::job_status& s);

} // namespace troupe::frameworks::di
