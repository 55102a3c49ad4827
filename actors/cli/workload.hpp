#pragma once

#include "actors/cli/manifest.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::cli {

struct job_manifest {
  k8s::yaml_document document;
  std::string ns;
  std::string api_version;
  std::string kind;
  std::string name;
};

/// What a run is about, in the order of the files.
struct workload {
  std::vector<job_manifest> jobs; ///< One at least.
  std::vector<k8s::yaml_document> supporting;
};

/// Finds the jobs among `documents` and sees that every object says what it is.
/// Objects without a namespace get `ns`. `kinds` are the job kinds that can be
/// run. Errors name the place and say what to do.
k8s::result<workload>
extract_workload(std::vector<k8s::yaml_document> documents,
                 const std::string& ns, const std::vector<std::string>& kinds);

/// What the API server calls a kind.
struct served_kind {
  std::string plural;
  bool namespaced = true;
};

/// Looks `kind` up in an APIResourceList; nullopt if it is not served.
std::optional<served_kind> find_served_kind(const nlohmann::json& resource_list,
                                            const std::string& kind);

/// "/api/v1" or "/apis/GROUP/VERSION".
std::string discovery_path(const std::string& api_version);

} // namespace troupe::cli
