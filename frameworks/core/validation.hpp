#pragma once

#include "frameworks/core/framework.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::core {

/// Of one type. Beyond any cluster; and each pod names all others in its
/// environment.
constexpr std::int32_t max_replicas = 100'000;

/// Checks a job as its owner wrote it, before defaults: whether it can be run.
/// `spec` is JSON text. Empty means fine.
std::vector<field_error> validate_spec(const framework& f,
                                       const std::string& name,
                                       std::string_view spec);

/// The same, and the rules that apply only when a user writes the job:
/// `old_spec` is "" at creation. (The scale subresource bypasses these.)
std::vector<field_error> validate_write(const framework& f,
                                        const std::string& name,
                                        std::string_view spec,
                                        std::string_view old_spec);

/// The name of a job whose children have services must be a DNS-1035 label.
std::optional<field_error> find_job_name_label_error(const std::string& name);

/// Pods may have longer names than `child`, but services may not. nullopt also
/// if the name of the job alone is too long, which is an error of its own.
std::optional<field_error> find_child_name_error(const std::string& job,
                                                 const std::string& child);

/// What the user who writes the job should know, although it is valid.
std::vector<std::string> find_spec_warnings(const framework& f,
                                            std::string_view spec);

/// All of them in one line, as the API server reports them.
std::string to_string(const std::vector<field_error>& errors);

} // namespace troupe::core
