#pragma once

#include "k8s/apiserver/writing/write_steps.hpp"

namespace troupe::k8s::apiserver {

/// Refuses a write of a role, or of a binding, that grants rights which its
/// author does not have, unless the author may `escalate` (roles) or `bind`
/// (bindings).
std::optional<status_error> refuse_role_escalation(const object_write& w);

} // namespace troupe::k8s::apiserver
