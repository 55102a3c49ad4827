#pragma once

#include "frameworks/core/pass.hpp"

namespace troupe::core {

/// One sentence, without subject, on where the job stands after this pass and
/// what it waits for. For people only.
std::string verdict(const pass& p, const observed& seen);

} // namespace troupe::core
