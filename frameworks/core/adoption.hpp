#pragma once

#include "frameworks/core/pass.hpp"

namespace troupe::core {

/// Lets go of children whose labels name another job now.
void release_mislabelled(pass& p);

/// Whether an orphan is to fill this empty place (adopting it if nothing
/// speaks against it), so that nothing need be created there.
bool adopt_into(pass& p, child_kind kind, const slot_state& empty);

/// Why what has the name of a child that is to be made will not do in its
/// stead ("it belongs to TFJob other"), "" if it will.
std::string why_taken(const create_child& wanted, const job& j,
                      const k8s::object_meta& there);

} // namespace troupe::core
