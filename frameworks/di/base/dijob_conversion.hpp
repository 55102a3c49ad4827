#pragma once

#include "frameworks/di/base/dijob_versions.hpp"
#include "k8s/json.hpp"
#include "k8s/result.hpp"

#include <string>

namespace troupe::frameworks::di {

// A DIJob is made either with a coordinator (v1alpha1) or of tasks (v2alpha1),
// and stays what it is. Read in the other version it has what both have in
// common, a label that says in which version it was made, and an annotation
// with all else, from which it is restored.

inline constexpr const char* unconverted_annotation =
    "diengine.opendilab.org/unconverted";

/// The job as it reads in `version` ("v2alpha1").
///
/// From v1alpha1, the stored version, this cannot fail. To v1alpha1 it is
/// refused if the job was made there and has now what v1alpha1 cannot express,
/// if the label or the annotation was changed, or if the job is too large for
/// an annotation.
k8s::result<k8s::json> convert_dijob(const k8s::json& job,
                                     const std::string& version);

/// The same of the outline of a job (conversions.hpp).
k8s::result<k8s::json> convert_dijob_outline(const k8s::json& job,
                                             const std::string& version);

/// Why a job that was made in the other version cannot be restored there, "" if
/// it can or if it was made in this one. Of a job, or of its outline.
std::string find_dijob_restore_error(const k8s::json& job);

} // namespace troupe::frameworks::di
