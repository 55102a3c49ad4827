#pragma once

#include "frameworks/core/model/framework.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe::core {

// What a job may ask for, so that none can take what the others need. These
// rules bind what is new: a job that has begun under other rules goes on, and
// an update that leaves alone what they are about is let through.

/// Of all types of a job together. Beyond any cluster; each pass looks at each.
constexpr std::int32_t max_replicas = 100'000;

/// Each has an actor of its own.
constexpr std::size_t max_replica_types = 64;

/// Of a job that has begun with more than those; a pass looks at the first ones
/// and leaves the others' children as they are.
constexpr std::size_t most_types_in_pass = 1'000;

/// A pod's template, and the names of all replicas where each pod has them. An
/// API server stores objects of 1.5 MiB, and pods have more than that.
constexpr std::size_t max_pod_bytes = 1'280 * 1'024;

/// Of what is in a job's `spec`. Much less than what is read back everywhere
/// (k8s/deep_json.hpp); pods need 13.
constexpr std::size_t max_spec_depth = 100;

/// Of what is in a job's `spec`: fields, items of lists, and what they are in.
/// Each takes as much memory as a line of text, and can have two bytes of text.
/// A spec of 1.5 MiB, which is as large as an API server stores, has so many if
/// its values have 15 bytes on average, names included; those of pods have 30.
constexpr std::size_t max_spec_values = 100'000;

/// Of a spec with more no values are made, whoever wrote it and when.
constexpr std::size_t max_read_values = 2 * max_spec_values;

/// An update may add so many to a spec, whatever it has: a suspension is more
/// than none.
constexpr std::size_t max_added_values = 10;

/// What is read of an object of which only the outline is needed
/// (k8s/json_outline.hpp). All that an API server stores is within.
constexpr std::size_t max_outline_values = 300'000;

/// Longer labels are refused by the API server.
constexpr std::size_t max_label_value = 63;

/// The limits that the job exceeds; also names and values with which its pods
/// could never be made. Empty: none. Looks at no more of it than it must.
std::vector<field_error> find_limit_errors(const job& j);

/// `spec` is JSON text of any depth.
std::optional<field_error> find_depth_error(std::string_view spec);

/// That it has more than max_spec_values.
std::optional<field_error> find_density_error(std::string_view spec);

/// Whether it has no more than max_read_values. Of another no values are made.
bool may_be_read(std::string_view spec);

/// The bytes of a list of this type's names, with so many beside each name.
std::size_t name_list_bytes(const job& j, const replica_spec& type,
                            std::size_t beside_each);

/// How many replicas of any type a pass looks at: all, unless the job has more
/// than max_replicas. Then its types have equal parts of these, and what small
/// ones leave is for the others.
std::int32_t most_replicas_in_pass(const job& j);

} // namespace troupe::core
