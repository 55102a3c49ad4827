#pragma once

#include "frameworks/core/reconcile_context.hpp"

namespace troupe::core {

/// One sentence, without subject, on where the job stands after this pass and
/// what it waits for. For people only.
std::string verdict(const reconcile_context& p, const observed_children& seen);

} // namespace troupe::core
