#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::frameworks::di::tasks {

/// Creates or adopts the service of the job, and deletes services of the job
/// that have another name.
void reconcile_service(core::reconcile_context& ctx,
                       const core::observed_children& seen);

} // namespace troupe::frameworks::di::tasks
