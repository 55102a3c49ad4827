#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::frameworks::di {

/// One pass over a DIJob. The fate of the job is that of its coordinator:
///
///   coordinator          phase
///   runs                 Running
///   failed               Failed
///   succeeded            Succeeded
///   otherwise            as before
///
/// A coordinator that is missing is created; pods of other roles are created by
/// di-server only. Each pod has a service. When the job has finished, it
/// is cleaned up.
void reconcile_job(core::reconcile_context& ctx,
                   const core::observed_children& seen);

} // namespace troupe::frameworks::di
