#pragma once

#include "frameworks/core/pass/reconcile_context.hpp"

namespace troupe::core {

/// A reconcile adds no more creations when it has this many decisions, or when
/// this many creations are in flight or have failed; the next one continues.
/// That is enough to keep any window of calls busy. A job whose creations all
/// fail repeats these, and tries no others.
constexpr std::size_t max_decisions = 2000;

/// Fills the slots of one type that have no pod: by adoption, else by creation.
void adopt_or_create_missing_pods(reconcile_context& ctx,
                                  const replica_type_view& type);

/// Fills all slots that have no pod or no service: by adoption, else by
/// creation.
void adopt_or_create_missing_children(reconcile_context& ctx);

/// Deletes children that are out of range or duplicates.
void delete_surplus_children(reconcile_context& ctx);

} // namespace troupe::core
