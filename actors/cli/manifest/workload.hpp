#pragma once

#include "actors/cli/manifest/manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// An object that is not created, and why.
struct left_out_object {
  k8s::yaml_document document;
  std::string why;
};

/// What a run is about, in the order of the files.
struct workload {
  std::vector<job_manifest> jobs; ///< One at least.
  std::vector<k8s::yaml_document> supporting;
  std::vector<left_out_object> left_out; ///< Jobs that others would run.
};

/// Gives a random number in [0, core::random_suffix_count).
using suffix_source = std::function<std::int32_t()>;

/// The replicas that the job begins with, where it does not say how many those
/// that its kind has; 0 of an unknown kind.
std::size_t count_replicas_with_defaults(const job_manifest& job);

/// Finds the jobs among `documents` and checks that every object has an
/// apiVersion, a kind and a name. An object without a namespace gets `ns`; one
/// with a generateName gets a name, as an API server would make it. `kinds` are
/// the job kinds that can be run. A job in an unknown apiVersion is an error,
/// and so is a kind whose name is almost one of `kinds`: neither is ever left
/// out. An error names the place and says what to do.
k8s::result<workload>
extract_workload(std::vector<k8s::yaml_document> documents,
                 const std::string& ns, const std::vector<std::string>& kinds,
                 const suffix_source& random_suffix);

/// Leaves out what a local cluster has no controller for.
void leave_out_what_cannot_run_here(workload& load);

/// "job.yaml:9: Deployment web is left out: ...".
std::string describe_left_out_object(const left_out_object& object);

/// Whether an object's name was made from its generateName.
bool has_generated_name(const nlohmann::json& object);

/// "PyTorchJob sample-7x2bq is named by generateName sample-", for each object
/// that has a generated name.
std::vector<std::string> describe_generated_names(const workload& load);

/// How the API server serves a kind.
struct served_kind {
  std::string plural;
  bool namespaced = true;
};

/// Looks `kind` up in an APIResourceList; nullopt if it is not served.
std::optional<served_kind> find_served_kind(const nlohmann::json& resource_list,
                                            const std::string& kind);

/// The kind of an APIResourceList that is written almost like `kind`, "" if
/// none is.
std::string nearest_served_kind(const nlohmann::json& resource_list,
                                const std::string& kind);

/// "/api/v1" or "/apis/GROUP/VERSION".
std::string discovery_path(const std::string& api_version);

} // namespace troupe::cli
