#pragma once

#include "frameworks/core/spec/written_policies.hpp"

#include <memory>

namespace troupe::core {

/// Reads what the annotations of a job, whose replicas are set, ask of Volcano:
/// nullptr if nothing. What is wrong is told, and left out.
std::shared_ptr<const volcano_policy>
read_volcano_policy(const job& of, const policy_annotations& annotations,
                    field_errors& errors);

} // namespace troupe::core
