#pragma once

#include "frameworks/core/model/framework.hpp"

#include <string>
#include <vector>

namespace troupe::frameworks {

/// Every job kind there is. A new one is the last: inputs of fuzzers have the
/// numbers of the others.
const std::vector<core::framework>& all();

/// By kind ("TFJob", exact case), or nullptr. Of a kind with several API
/// versions, the oldest.
const core::framework* find(const std::string& kind);

/// By apiVersion ("kubeflow.org/v1") and kind, or nullptr.
const core::framework* find(const std::string& api_version,
                            const std::string& kind);

// The tables, one file each.
core::framework tensorflow();
core::framework pytorch();
core::framework xgboost();
core::framework paddle();
core::framework mpi();
core::framework jax();
core::framework mxnet();
core::framework dijob();       ///< With a coordinator, v1alpha1.
core::framework dijob_tasks(); ///< Of tasks, v2alpha1.

} // namespace troupe::frameworks
