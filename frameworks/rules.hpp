#pragma once

#include "frameworks/core/model/framework.hpp"

namespace troupe::frameworks {

// What several kinds' tables have in common.

/// The names of a kind of training-operator v1, which follow from `kind`
/// ("TFJob"): kubeflow.org/v1, "tfjobs", "tfjob", "tfjob-controller".
core::kind_names names_of_v1_kind(const char* kind, const char* short_name,
                                  const char* spec_field);

/// The rule of a type that is the chief if the job has replicas of it; all its
/// pods are labelled as masters.
core::replica_rule make_chief_rule(const char* type, const char* label);

/// The rule of a type that has pods and no other role.
core::replica_rule make_follower_rule(const char* type, const char* label);

/// The messages of most kinds. The first function names the job without its
/// namespace; the second adds the namespace where the job runs or has
/// succeeded.
core::message_templates messages_with_name();
core::message_templates messages_with_namespace();

/// The port with the framework's port name in this type, or the framework's own
/// port.
std::int32_t port_of_type_or_default(const core::job& j, const char* label);

/// A field of the spec other than the replica map and the policies; null if it
/// is absent.
nlohmann::json spec_setting(const core::job& j, const char* field);

} // namespace troupe::frameworks
