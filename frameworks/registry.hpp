#pragma once

#include "frameworks/core/framework.hpp"

#include <string>
#include <vector>

namespace troupe::frameworks {

/// Every job kind there is, in a fixed order.
const std::vector<core::framework>& all();

/// By kind ("TFJob", exact case), or nullptr.
const core::framework* find(const std::string& kind);

// The tables, one file each.
core::framework tensorflow();
core::framework pytorch();
core::framework xgboost();
core::framework paddle();
core::framework mpi();
core::framework jax();
core::framework mxnet();
core::framework dijob();

} // namespace troupe::frameworks
