#pragma once

#include "frameworks/core/framework.hpp"

#include <string>

namespace troupe::core {

// What is told of calls that were made, worded as the original does.

/// Nothing is told of some belongings.
std::vector<tell> created_events(const job& j, child what,
                                 const std::string& name, const slot& at);
tell create_failed_event(child what, const std::string& why);
std::vector<tell> deleted_events(child what, const std::string& name);
/// A belonging cannot be had, perhaps because its name is taken.
tell belonging_failed_event(const job& j, const belonging& b,
                            const k8s::failure& why);
tell delete_failed_event(child what, const std::string& why);

/// The job itself was removed after its time (or could not be).
tell job_deleted_event(const framework& f, const std::string& name);
tell job_delete_failed_event(const framework& f, const std::string& why);

} // namespace troupe::core
