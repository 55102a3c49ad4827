#pragma once

#include "frameworks/core/framework.hpp"

namespace troupe::frameworks {

core::framework tensorflow();

} // namespace troupe::frameworks
