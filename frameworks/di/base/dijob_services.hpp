#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

#include <string>

namespace troupe::frameworks::di {

/// JSON text of the headless service for a pod: labels and selector are the
/// pod's labels, so that it has this one endpoint; owners are the pod's, so
/// that it goes with the job.
std::string make_service_json(const core::job& j, const core::child_view& pod);

/// Creates the service of each pod that has none, and deletes those whose pod
/// is gone.
void reconcile_services(core::reconcile_context& ctx,
                        const core::observed_children& seen);

void delete_all_services(core::reconcile_context& ctx,
                         const core::observed_children& seen, const char* why);

} // namespace troupe::frameworks::di
