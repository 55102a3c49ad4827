#pragma once

#include "frameworks/core/reconcile_context.hpp"

namespace troupe::core {

/// Releases children whose labels name another job now.
void release_mislabelled(reconcile_context& p);

/// Whether an orphan is to fill this empty slot (adopting it if nothing
/// speaks against it), so that nothing need be created there.
bool adopt_into(reconcile_context& p, child_kind kind, const slot_state& empty);

} // namespace troupe::core
