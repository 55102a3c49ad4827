#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace troupe::cli {

/// The custom resource definitions of deploy/crds for the job kinds that this
/// program knows, as JSON. The program contains them. They are for the embedded
/// API server, so versions that need a conversion are served.
std::vector<std::string> embedded_crds();

/// The OpenAPI schema of an object's apiVersion and kind in these definitions,
/// or null.
nlohmann::json embedded_schema_of(const nlohmann::json& object);

/// The job kinds that this program knows.
std::vector<std::string> supported_job_kinds();

/// The values of the setting enable-scheme: these kinds, and for one with
/// several API versions each of them, "MPIJob.v1".
std::vector<std::string> supported_schemes();

} // namespace troupe::cli
