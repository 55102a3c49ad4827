#pragma once

#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <map>
#include <string>

namespace troupe::frameworks::di {

inline constexpr const char* coordinator_type = "Coordinator";

/// The pods of each of the framework's replica types, which do not include ddp
/// learners. A pod whose main process has ended for good counts as what it
/// became, although another of its containers may still run. Terminating pods
/// and those that are not the job's do not count.
std::map<std::string, core::replica_status>
count_pods_by_type(const core::job& j, const core::observed_children& seen);

/// What a job leaves running when it succeeds counts as succeeded.
void count_running_as_succeeded(core::job_status& s);

} // namespace troupe::frameworks::di
