#pragma once

#include "actors/cli/manifest.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::cli {

/// What a run is about: one job and the objects it needs.
struct workload {
  k8s::yaml_document job;
  std::vector<k8s::yaml_document> supporting; ///< In the order of the files.
  std::string ns;                             ///< Of the job.
  std::string api_version;                    ///< Of the job.
  std::string kind;                           ///< Of the job.
  std::string name;
};

/// Finds the one job among `documents` and sees that every object says what it
/// is. Objects without a namespace get `ns`. `kinds` are the job kinds that can
/// be run. Errors name the place and say what to do.
k8s::result<workload>
extract_single_job(std::vector<k8s::yaml_document> documents,
                   const std::string& ns,
                   const std::vector<std::string>& kinds);

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
