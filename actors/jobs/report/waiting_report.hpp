#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

#include <nlohmann/json_fwd.hpp>

namespace troupe::actors {

/// Adds to the report of a job what there is of these:
///   "waitingFor": what it waits for, and whose move it is;
///   "queueing": how it stands to its queue of Kueue's;
///   "notQueued": why its queue is not waited for, a sentence;
///   "podGroup": the group of its gang.
void add_waiting_report(nlohmann::json& to, const core::waiting_inputs& in);

} // namespace troupe::actors
