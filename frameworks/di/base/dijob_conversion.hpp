#pragma once

#include "frameworks/di/base/dijob_versions.hpp"
#include "k8s/json.hpp"
#include "k8s/result.hpp"

#include <string>

namespace troupe::frameworks::di {

// A DIJob is created either with a coordinator (v1alpha1) or with tasks
// (v2alpha1), and remains of that version. Read in the other version, it has
// the fields that both versions have, a label that names the version in which
// it was created, and an annotation with all other fields, from which it is
// restored.

inline constexpr const char* unconverted_annotation =
    "diengine.opendilab.org/unconverted";

/// The job as it reads in `version` ("v2alpha1").
///
/// A conversion from v1alpha1, the stored version, cannot fail. A conversion to
/// v1alpha1 is refused if the job was created in v1alpha1 and now has fields
/// that v1alpha1 cannot express, if the label or the annotation was changed, or
/// if the job is too large for an annotation.
k8s::result<k8s::json> convert_dijob(const k8s::json& job,
                                     const std::string& version);

/// The same for the outline of a job (conversions.hpp).
k8s::result<k8s::json> convert_dijob_outline(const k8s::json& job,
                                             const std::string& version);

/// Why a job that was created in the other version cannot be restored to it; ""
/// if it can, or if it was created in this version. Takes a job or its outline.
std::string find_dijob_restore_error(const k8s::json& job);

} // namespace troupe::frameworks::di
