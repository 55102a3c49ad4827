#pragma once

#include "k8s/result.hpp"

#include <string>
#include <vector>

namespace troupe::cli {

/// The custom resource definitions of deploy/crds, for the job kinds that this
/// program knows, as JSON. They are inside the program. For the embedded API
/// server: versions that need a conversion are served.
k8s::result<std::vector<std::string>> embedded_crds();

/// The job kinds that this program knows.
std::vector<std::string> supported_job_kinds();

} // namespace troupe::cli
