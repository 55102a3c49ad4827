#pragma once

#include "frameworks/core/framework.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::core {

/// Of one type. Beyond any cluster; and each pod names all others in its
/// environment.
constexpr std::int32_t most_replicas = 100'000;

/// One thing wrong with a job, worded as the original's webhooks word it.
struct field_error {
  std::string field; ///< "spec.tfReplicaSpecs[Worker].replicas".
  std::string text;  ///< "Forbidden: must be at least 1".
};

/// Checks a job as its owner wrote it, before defaults. `spec` and `old_spec`
/// are JSON text; `old_spec` is "" at creation. Empty means fine.
std::vector<field_error> validate(const framework& f, const std::string& name,
                                  std::string_view spec,
                                  std::string_view old_spec);

/// All of them in one line, as the API server reports them.
std::string to_string(const std::vector<field_error>& errors);

} // namespace troupe::core
