#pragma once

#include "frameworks/registry.hpp"

namespace troupe::fixtures {

inline const auto* const tf_kind = frameworks::find("TFJob");

} // namespace troupe::fixtures
