#pragma once

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/spec/written_policies.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::core {

// What a job says of its PodGroup of Kubernetes (scheduling.k8s.io/v1beta1), as
// far as that does not depend on what exists.

/// A value that is wrong is told and left out.
shared_value<gang_annotations>
read_gang_annotations(const policy_annotations& annotations,
                      field_errors& errors);

/// Whether a template names a PodGroup itself: then all is left to its user.
bool names_own_group(const job& j);

/// Why the pods of the job can be no gang, "" if they can: all pods of a group
/// must have its priority and one scheduler, else none is ever placed.
std::string find_gang_conflict(const job& j);

/// The name of the job's PodGroup. What cannot be changed in one is part of it,
/// so that a group of another content is another object.
std::string native_group_name(const job& j);

/// What pods of the job are to name when it begins, whether there is such a
/// group already or not; "": none of ours.
std::string group_of_new_gang(const job& j);

/// JSON text: the whole of a new one.
std::string native_group_body(const job& j, std::int32_t min_count,
                              bool is_whole_job);

/// JSON text: the only thing of it that may change.
std::string native_group_change(std::int32_t min_count);

/// Which fields of the scheduling policy have no counterpart, if any is set.
std::optional<job_event> ignored_scheduling_fields_event(const job& j);

/// The pod, JSON text, as a member of that group.
std::string with_scheduling_group(const std::string& pod,
                                  const std::string& group);

/// The same of the pods that an object with a template makes: the body of a
/// Job.
std::string with_scheduling_group_in_template(const std::string& body,
                                              const std::string& group);

/// Which group these name; "": none.
std::string scheduling_group_in_template(const std::string& body);

} // namespace troupe::core
