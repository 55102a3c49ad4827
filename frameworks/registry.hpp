#pragma once

#include "frameworks/core/model/framework.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::frameworks {

/// All job kinds. A new one must be the last, because inputs of fuzzers contain
/// the positions of the others.
const std::vector<core::framework>& all();

/// The row of this kind ("TFJob", exact case), or nullptr. If the kind has
/// several API versions, the row of the oldest.
const core::framework* find(const std::string& kind);

/// The row of this apiVersion ("kubeflow.org/v1") and kind, or nullptr.
const core::framework* find(const std::string& api_version,
                            const std::string& kind);

/// The row that a job belongs to which was read or written in the version of
/// `f`: that of the version in which it was created. `created_as`: its
/// `spec.createdAs`, "" if there is none.
const core::framework& row_of_birth(const core::framework& f,
                                    std::string_view created_as);

// The tables, one file each.
core::framework tensorflow();
core::framework pytorch();
core::framework xgboost();
core::framework paddle();
core::framework mpi();
core::framework jax();
core::framework mxnet();
core::framework dijob();        ///< With a coordinator, v1alpha1.
core::framework dijob_tasks();  ///< Of tasks, v2alpha1.
core::framework mpi_over_ssh(); ///< MPIJob v2beta1.

} // namespace troupe::frameworks
