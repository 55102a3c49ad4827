#pragma once

#include "frameworks/core/decision.hpp"

#include <optional>
#include <string>

namespace troupe::core {

// What is told of calls that were made, worded as the original does.

/// Nothing is told of some auxiliary objects.
std::vector<job_event> created_events(const job& j, child_kind kind,
                                      const std::string& name, const slot& at);
job_event create_failed_event(const job& j, child_kind kind, const slot& at,
                              const std::string& why);
std::vector<job_event> deleted_events(child_kind kind, const std::string& name);
/// An auxiliary object cannot be had. `taken`: why what has its name will not
/// do, "" if nothing is known of that.
job_event auxiliary_failed_event(const job& j, const auxiliary_object& b,
                                 const k8s::failure& why,
                                 const std::string& taken);
/// A decision other than a creation was refused, after so many refusals in a
/// row. Without the right to adopt or release a child the job lives on, so
/// that is told once. nullopt: nothing is told.
std::optional<job_event>
refused_event(const decision& d, const k8s::failure& why, int refused_before);

/// The job itself was removed after its time (or could not be).
job_event job_deleted_event(const framework& f, const std::string& name);
job_event job_delete_failed_event(const framework& f, const std::string& why);

} // namespace troupe::core
