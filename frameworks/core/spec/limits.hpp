#pragma once

#include "frameworks/core/model/framework.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe::core {

// What a job may ask for, so that no job can take what the others need. These
// rules apply only to what is new: a job that has begun under other rules
// continues, and an update is let through if it does not change what exceeds
// them.

/// Replicas of all types of a job together. No cluster has room for so many,
/// and each pass looks at each of them.
constexpr std::int32_t max_replicas = 100'000;

/// Each type has an actor of its own.
constexpr std::size_t max_replica_types = 64;

/// If a job has begun with more types than that, a pass looks at the first
/// ones, at most this many, and leaves the children of the others as they are.
constexpr std::size_t most_types_in_pass = 1'000;

/// A pod's template, and the names of all replicas where each pod has them. An
/// API server stores objects of 1.5 MiB, and pods have more than that.
constexpr std::size_t max_pod_bytes = 1'280 * 1'024;

/// Levels of nesting in a job's `spec`. Much less than what is read back
/// everywhere (k8s/deep_json.hpp); pods need 13.
constexpr std::size_t max_spec_depth = 100;

/// Values in a job's `spec`: fields, items of lists, and what contains them.
/// Each takes as much memory as a line of text, and can be two bytes of text. A
/// spec of 1.5 MiB, the most that an API server stores, has so many values if
/// they take 15 bytes on average, names included; those of pods take 30.
constexpr std::size_t max_spec_values = 100'000;

/// A spec with more values than this is not decoded, whoever wrote it.
constexpr std::size_t max_read_values = 2 * max_spec_values;

/// An update may add this many values to any spec: the suspension of a job adds
/// some.
constexpr std::size_t max_added_values = 10;

/// Values that are read of an object if only its outline is needed
/// (k8s/json_outline.hpp). No object that an API server stores has more.
constexpr std::size_t max_outline_values = 300'000;

/// The API server refuses labels with longer values.
constexpr std::size_t max_label_value = 63;

/// The limits that the job exceeds, and the names and values with which its
/// pods could never be made. Empty: none. Looks at no more of the job than
/// necessary.
std::vector<field_error> find_limit_errors(const job& j);

/// `spec` is JSON text of any depth.
std::optional<field_error> find_depth_error(std::string_view spec);

/// The error of a spec that has more than max_spec_values.
std::optional<field_error> find_density_error(std::string_view spec);

/// Whether it has at most max_read_values. Another spec is not decoded.
bool has_readable_value_count(std::string_view spec);

/// The bytes of a list of the names of this type's replicas, with `beside_each`
/// bytes more for each name. At least as many as there are.
std::size_t name_list_bytes(const job& j, const replica_spec& type,
                            std::size_t beside_each);

/// How many replicas of any type a pass looks at: all, unless the job has more
/// than max_replicas. Then its types get equal parts of these, and the others
/// get what small types do not use.
std::int32_t most_replicas_of_type_in_pass(const job& j);

} // namespace troupe::core
