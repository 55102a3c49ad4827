#pragma once

#include "frameworks/core/decision.hpp"

#include <optional>
#include <string>

namespace troupe::core {

// What is told of calls that were made, worded as the original does.

/// Nothing is told of some belongings.
std::vector<tell> created_events(const job& j, child what,
                                 const std::string& name, const slot& at);
tell create_failed_event(const job& j, child what, const slot& at,
                         const std::string& why);
std::vector<tell> deleted_events(child what, const std::string& name);
/// A belonging cannot be had. `taken`: why what has its name will not do, ""
/// if nothing is known of that.
tell belonging_failed_event(const job& j, const belonging& b,
                            const k8s::failure& why, const std::string& taken);
/// A decision other than a creation was refused, after so many refusals in a
/// row. Without the right to adopt or release a child the job lives on, so
/// that is told once. nullopt: nothing is told.
std::optional<tell> refused_event(const decision& d, const k8s::failure& why,
                                  int refused_before);

/// The job itself was removed after its time (or could not be).
tell job_deleted_event(const framework& f, const std::string& name);
tell job_delete_failed_event(const framework& f, const std::string& why);

} // namespace troupe::core
