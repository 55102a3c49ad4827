#pragma once

#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::frameworks::di {

/// What every apiVersion has before the version's name.
inline constexpr const char* dijob_group_prefix = "diengine.opendilab.org/";

/// The label of a job that was created in another version than it is read in.
/// Its value is the name of that version.
inline constexpr const char* converted_from_label =
    "diengine.opendilab.org/converted-from";
/// A label selector for jobs that were created in the version in which they are
/// read.
inline constexpr const char* not_converted_selector =
    "!diengine.opendilab.org/converted-from";

/// A field of one version that the other one does not have. It counts as unset
/// if it has its default, JSON text, or is empty.
struct own_field {
  const char* name;
  const char* default_value;
};

/// A field that both versions have.
struct common_field {
  const char* name;
  const char* default_value; ///< That v2alpha1 fills in, "" if none.
};

using common_fields = std::vector<common_field>;

/// One version of DIJob, compared with the other.
struct dijob_version {
  const char* name;
  bool fills_in_defaults; ///< Of what both have.
  std::vector<own_field> spec;
};

/// "v2alpha1", or nullptr.
const dijob_version* find_dijob_version(const std::string& name);

/// The other one of the two versions.
const dijob_version& other_dijob_version(const dijob_version& version);

/// The version of the job's apiVersion, or nullptr.
const dijob_version* dijob_version_of(const k8s::json& job);

/// The fields that spec and status have in both versions.
const common_fields& common_spec_fields();
const common_fields& common_status_fields();
bool is_common_field(const common_fields& fields, const std::string& name);

/// A field of `spec` that is set and that not both versions have, "" if none.
/// `version`: that of the spec.
std::string find_version_specific_spec_field(const k8s::json& spec,
                                             const dijob_version& version);

/// A field of `status` that is set and that not both versions have, "" if none.
/// Counts that are 0 are unset.
std::string find_version_specific_status_field(const k8s::json& status);

/// Fills in the defaults that an API server would if somebody wrote the job in
/// this version, so that a write of something else does not change the spec.
/// `spec` has no fields except those of both versions.
void reset_own_and_fill_common_fields(k8s::json& spec,
                                      const dijob_version& version);

} // namespace troupe::frameworks::di
