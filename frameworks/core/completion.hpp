#pragma once

#include "frameworks/core/reconcile_context.hpp"

namespace troupe::core {

/// Works out from the counts how the job fares, type by type in the
/// framework's order, and sets its conditions: Succeeded ends the evaluation,
/// so does Failed. Per type with replicas:
///
///   leads and is done          Succeeded
///   failed, to be replaced     Restarting
///   failed, permanent code     Failed, with the common words
///   failed, elastic            nothing
///   failed otherwise           Failed, with the kind's words
///   leads and is active        Running, unless something is Restarting
void update_job_conditions(reconcile_context& p);

} // namespace troupe::core
