#pragma once

#include "frameworks/core/framework.hpp"

#include <string>

namespace troupe::core {

// What is told of calls that were made, worded as the original does.

tell created_event(child what, const std::string& name);
tell create_failed_event(child what, const std::string& why);
tell deleted_event(child what, const std::string& name);
tell delete_failed_event(child what, const std::string& why);

/// The job itself was removed after its time (or could not be).
tell job_deleted_event(const framework& f, const std::string& name);
tell job_delete_failed_event(const framework& f, const std::string& why);

} // namespace troupe::core
