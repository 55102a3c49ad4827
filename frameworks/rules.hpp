#pragma once

#include "frameworks/core/model/framework.hpp"

namespace troupe::frameworks {

// What several kinds' tables have in common.

/// The names of a kind of training-operator v1, which follow from `kind`
/// ("TFJob"): kubeflow.org/v1, "tfjobs", "tfjob", "tfjob-controller".
core::kind_names names_of_v1_kind(const char* kind, const char* short_name,
                                  const char* spec_field);

/// A type that is the chief when it is there, all its pods labelled as masters.
core::replica_rule make_chief_rule(const char* type, const char* label);

/// A type that only has its pods.
core::replica_rule make_follower_rule(const char* type, const char* label);

/// The messages of most kinds: jobs by name only, or running and completed ones
/// by namespace and name.
core::message_templates messages_with_name();
core::message_templates messages_with_namespace();

/// The port with the framework's name in one type, or the framework's own
/// number.
std::int32_t port_of_type(const core::job& j, const char* label);

/// The field of the spec beside the replica map and the policies, or null.
nlohmann::json spec_setting(const core::job& j, const char* field);

} // namespace troupe::frameworks
