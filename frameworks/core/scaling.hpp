#pragma once

#include "frameworks/core/reconcile_context.hpp"

namespace troupe::core {

/// Creations decided in one reconcile; the next one continues. Enough to keep
/// any window of calls busy.
constexpr std::size_t most_creations = 2000;

/// Fills the places of one type that have no pod: by adoption, else by
/// creation.
void create_missing_pods(reconcile_context& p, const replica_type_view& type);

/// Fills what is empty: by adoption, else by creation.
void create_missing_children(reconcile_context& p);

/// Removes what is out of range or one too many.
void remove_surplus_children(reconcile_context& p);

} // namespace troupe::core
