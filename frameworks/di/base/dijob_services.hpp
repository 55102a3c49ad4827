#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

#include <string>

namespace troupe::frameworks::di {

/// JSON text of the headless service for a pod. Its labels and selector are the
/// pod's labels, so that the pod is its only endpoint; its owners are the
/// pod's, so that it is deleted with the job.
std::string make_service_json(const core::job& j, const core::child_view& pod);

/// Creates or adopts the service of each pod, and deletes services whose pod is
/// gone.
void reconcile_services(core::reconcile_context& ctx,
                        const core::observed_children& seen);

void delete_services_with_job_labels(core::reconcile_context& ctx,
                                     const core::observed_children& seen,
                                     const char* why);

} // namespace troupe::frameworks::di
